// Lanes are fibers: each has its own stack, and switching costs a few nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) || defined(__aarch64__)
#define XE_NATIVE_SWITCH 1
#else
#define XE_NATIVE_SWITCH 0
#include <ucontext.h>
#endif

namespace xe {

struct Fiber {
#if XE_NATIVE_SWITCH
  void* stack_pointer = nullptr;
#else
  ucontext_t context;
#endif
};

// Makes `fiber` start in `main` (which never returns) on the stack that ends at `stack_top`.
void prepare(Fiber& fiber, std::byte* stack_bottom, std::byte* stack_top, void (*main)());

// Saves the running fiber in `from` and carries on with `to`.
void switch_fiber(Fiber& from, Fiber& to);

// Memory for `count` stacks, each with its own guard page below it.
class Stacks {
 public:
  Stacks(int count, size_t bytes);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  bool are_there() const { return memory_ != nullptr; }  // else the machine had no memory for them
  std::byte* bottom(int index) const { return memory_ + index * stride_ + guard_; }
  std::byte* top(int index) const { return memory_ + (index + 1) * stride_; }

 private:
  std::byte* memory_ = nullptr;
  size_t guard_, stride_, total_;
};

}  // namespace xe
