#include "fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace xe {

#if defined(__x86_64__)
// System V AMD64 ABI: rbx, rbp, r12 to r15 and the stack pointer survive a call; nothing else must.
asm(R"(
.text
.hidden xe_switch
.globl xe_switch
.type xe_switch, @function
xe_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size xe_switch, .-xe_switch
)");
constexpr int saved_words = 6;
constexpr int return_word = 6;
constexpr int frame_words = 8;  // the saved ones, the return address, and padding so that main starts aligned
#elif defined(__aarch64__)
// AAPCS64: x19 to x30 and the low halves of v8 to v15 survive a call.
asm(R"(
.text
.hidden xe_switch
.globl xe_switch
.type xe_switch, %function
xe_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size xe_switch, .-xe_switch
)");
constexpr int return_word = 11;
constexpr int frame_words = 20;
#endif

#if XE_NATIVE_SWITCH
extern "C" void xe_switch(void** save, void* load);

void prepare(Fiber& fiber, std::byte*, std::byte* stack_top, void (*main)()) {
  uintptr_t top = reinterpret_cast<uintptr_t>(stack_top) & ~uintptr_t{63};
  auto* frame = reinterpret_cast<uintptr_t*>(top) - frame_words;
  for (int word = 0; word < frame_words; ++word) frame[word] = 0;
  frame[return_word] = reinterpret_cast<uintptr_t>(main);
  fiber.stack_pointer = frame;
}

void switch_fiber(Fiber& from, Fiber& to) { xe_switch(&from.stack_pointer, to.stack_pointer); }
#else
void prepare(Fiber& fiber, std::byte* stack_bottom, std::byte* stack_top, void (*main)()) {
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = stack_bottom;
  fiber.context.uc_stack.ss_size = static_cast<size_t>(stack_top - stack_bottom);
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, main, 0);
}

void switch_fiber(Fiber& from, Fiber& to) { swapcontext(&from.context, &to.context); }
#endif

Stacks::Stacks(int count, size_t bytes) {
  guard_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  stride_ = (bytes + guard_ - 1) / guard_ * guard_ + guard_;
  total_ = stride_ * static_cast<size_t>(count);
  void* memory = mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  memory_ = static_cast<std::byte*>(memory);
  for (int index = 0; index < count; ++index)
    if (mprotect(memory_ + index * stride_, guard_, PROT_NONE) != 0) {  // a process has only so many mappings
      munmap(memory_, total_);
      memory_ = nullptr;
      return;
    }
}

Stacks::~Stacks() {
  if (memory_ != nullptr) munmap(memory_, total_);
}

}  // namespace xe
