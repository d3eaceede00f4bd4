// 2D block messages: cl_intel_subgroup_2d_block_io for the rules, the vISA lsc_load_block2d for how the payload lies
// in the registers: blocks one after the other, rows padded to a power of two. A block fills whole elements of the
// lanes' vectors, as the functions of the extension return it: one row of 8 32-bit elements leaves lanes 8 to 15 empty.

#include <cinttypes>
#include <cstring>

#include "machine.hpp"

namespace xe {
namespace {

enum BlockForm : int32_t { form_plain = 0, form_transform = 1, form_transpose = 2 };

constexpr uint64_t base_multiple = 64;
constexpr int register_bytes = 64;
constexpr int narrowest_subgroup = 16;
constexpr int max_payload_bytes = 32 * register_bytes;
constexpr int max_surface = 1 << 24;  // bytes of width and pitch, rows of height

struct Surface {
  uint64_t base;
  int width_bytes, height_rows, pitch_bytes;
  int x_elements, y_rows;
};

struct Coordinate {
  int32_t x, y;
};

int next_power_of_two(int value) {
  int power = 1;
  while (power < value) power *= 2;
  return power;
}

// Reads the operands, which all lanes share, and stops at the first rule that they break.
Surface read_surface(const Subgroup& subgroup, const Site& site) {
  int32_t index = subgroup.calls[0].site;
  Surface surface{};
  surface.base = uniform<uint64_t>(subgroup, 0, "base address");
  surface.width_bytes = uniform<int32_t>(subgroup, 1, "surface width");
  surface.height_rows = uniform<int32_t>(subgroup, 2, "surface height");
  surface.pitch_bytes = uniform<int32_t>(subgroup, 3, "surface pitch");
  auto coordinate = uniform<Coordinate>(subgroup, 4, "coordinate");
  surface.x_elements = coordinate.x;
  surface.y_rows = coordinate.y;

  int width_unit = site.element_bytes > 4 ? site.element_bytes : 4;
  if (surface.base % base_multiple != 0)
    fault(index, "2D block message: the base address must be a multiple of 64 bytes, got 0x%" PRIx64 " (%d past one)",
          surface.base, static_cast<int>(surface.base % base_multiple));
  if (surface.width_bytes < 64 || surface.width_bytes > max_surface)
    fault(index, "2D block message: the surface width must be 64 to 2^24 bytes, got %d", surface.width_bytes);
  if (surface.width_bytes % width_unit != 0)
    fault(index, "2D block message: the surface width must be a multiple of %d bytes, got %d", width_unit, surface.width_bytes);
  if (surface.height_rows < 1 || surface.height_rows > max_surface)
    fault(index, "2D block message: the surface height must be 1 to 2^24 rows, got %d", surface.height_rows);
  if (surface.pitch_bytes < 64 || surface.pitch_bytes > max_surface)
    fault(index, "2D block message: the surface pitch must be 64 to 2^24 bytes, got %d", surface.pitch_bytes);
  if (surface.pitch_bytes % 16 != 0)
    fault(index, "2D block message: the surface pitch must be a multiple of 16 bytes, got %d", surface.pitch_bytes);
  if (surface.pitch_bytes < surface.width_bytes)
    fault(index, "2D block message: the surface pitch must be at least its width, got pitch %d and width %d bytes",
          surface.pitch_bytes, surface.width_bytes);
  if (int64_t{surface.x_elements} * site.element_bytes % 4 != 0)
    fault(index, "2D block message: x must be a multiple of %d for %d-bit elements, got %d", 4 / site.element_bytes,
          site.element_bytes * 8, surface.x_elements);
  return surface;
}

// The part of one tile row that lies inside the surface.
struct Span {
  uint64_t address;  // of the first byte inside
  int first, count;  // bytes into the row of the block; none inside: count 0
};

Span clip(const Surface& surface, const Site& site, int block, int row) {
  int row_bytes = site.columns * site.element_bytes;
  int64_t y = int64_t{surface.y_rows} + row;
  int64_t left = int64_t{surface.x_elements} * site.element_bytes + int64_t{block} * row_bytes;
  int64_t begin = left < 0 ? 0 : left;
  int64_t end = left + row_bytes < surface.width_bytes ? left + row_bytes : surface.width_bytes;
  if (y < 0 || y >= surface.height_rows || begin >= end) return {0, 0, 0};
  uint64_t address = surface.base + static_cast<uint64_t>(y * surface.pitch_bytes + begin);
  return {address, static_cast<int>(begin - left), static_cast<int>(end - begin)};
}

// The array that contains a part of a row. A surface begins at a multiple of 64 bytes, even if its array does not: the
// bytes in between may be read.
const Range* array_of(const Span& span, bool writes) {
  const Range* range = find_range(span.address, static_cast<uint64_t>(span.count));
  if (range != nullptr || writes) return range;
  uint64_t next = (span.address | (base_multiple - 1)) + 1, end = span.address + static_cast<uint64_t>(span.count);
  const Launch& launch = *worker->launch;
  for (range = launch.ranges; range != launch.ranges + launch.range_count; ++range)
    if (span.address < range->begin && range->begin < next && end <= range->begin + range->bytes) return range;
  return nullptr;
}

// The surface of a message may span several arrays; every byte that the message accesses must be in an array.
void check_inside(const Subgroup& subgroup, const Span& span, bool writes) {
  int32_t index = subgroup.calls[0].site;
  const Range* range = array_of(span, writes);
  if (range == nullptr)
    out_of_bounds(index, writes ? "2D block write (one row of it)" : "2D block read (one row of it)", span.address,
                  static_cast<uint64_t>(span.count));
  if (writes && !range->writable) fault(index, "2D block write to argument %d, which is a read-only array", range->argument);
}

// The position of element (row, column) of a block in that block's part of the payload, in elements.
struct PayloadMap {
  int form, stride, group, rows;

  explicit PayloadMap(const Site& site)
      : form(site.operation),
        stride(form == form_transpose ? next_power_of_two(site.rows) : next_power_of_two(site.columns)),
        group(4 / site.element_bytes),
        rows(site.rows) {}

  int offset(int row, int column) const {
    if (form == form_transpose) return column * stride + row;
    if (form == form_transform) return row / group * group * stride + column * group + row % group;
    return row * stride + column;
  }

  int block_elements(const Site& site) const {
    int padded_rows = form == form_transform ? (rows + group - 1) / group * group : rows;
    int elements = form == form_transpose ? site.columns * stride : padded_rows * stride;
    int unit = narrowest_subgroup * site.result_bytes / site.element_bytes;
    return (elements + unit - 1) / unit * unit;
  }
};

template <typename T>
void scatter_row(std::byte* block, const PayloadMap& map, const std::byte* row_data, int row, int columns) {
  auto* out = reinterpret_cast<T*>(block);
  for (int column = 0; column < columns; ++column) {
    T element;
    std::memcpy(&element, row_data + column * sizeof(T), sizeof(T));
    out[map.offset(row, column)] = element;
  }
}

void place_row(std::byte* block, const PayloadMap& map, const Site& site, const std::byte* row_data, int row) {
  if (map.form == form_plain) {
    std::memcpy(block + map.offset(row, 0) * site.element_bytes, row_data, site.columns * site.element_bytes);
    return;
  }
  switch (site.element_bytes) {
    case 1: return scatter_row<uint8_t>(block, map, row_data, row, site.columns);
    case 2: return scatter_row<uint16_t>(block, map, row_data, row, site.columns);
    case 4: return scatter_row<uint32_t>(block, map, row_data, row, site.columns);
    default: return scatter_row<uint64_t>(block, map, row_data, row, site.columns);
  }
}

// Register r of the payload is one element of every lane's vector, lane 0 first.
template <typename T>
void deal(const Subgroup& subgroup, const std::byte* payload, int elements_per_lane) {
  int lanes = worker->launch->lanes;
  for (int lane = 0; lane < lanes; ++lane) {
    auto* out = operand<std::byte*>(subgroup.calls[lane], 5);
    const std::byte* in = payload + lane * sizeof(T);
    for (int element = 0; element < elements_per_lane; ++element)
      std::memcpy(out + element * sizeof(T), in + element * lanes * sizeof(T), sizeof(T));
  }
}

template <typename T>
void collect(const Subgroup& subgroup, std::byte* payload, int elements_per_lane) {
  int lanes = worker->launch->lanes;
  for (int lane = 0; lane < lanes; ++lane) {
    auto* in = operand<const std::byte*>(subgroup.calls[lane], 5);
    std::byte* out = payload + lane * sizeof(T);
    for (int element = 0; element < elements_per_lane; ++element)
      std::memcpy(out + element * lanes * sizeof(T), in + element * sizeof(T), sizeof(T));
  }
}

int elements_per_lane(const Site& site, int payload_bytes) {
  int per_register = worker->launch->lanes * site.result_bytes;
  return (payload_bytes + per_register - 1) / per_register;
}

}  // namespace

void block_read(const Subgroup& subgroup, const Site& site, Counter& counter) {
  Surface surface = read_surface(subgroup, site);
  PayloadMap map(site);
  int block_bytes = map.block_elements(site) * site.element_bytes;
  // Subgroups of 32 read whole vector elements, which may reach past the last register.
  alignas(64) std::byte payload[2 * max_payload_bytes] = {};
  std::byte row_data[2 * register_bytes];
  for (int block = 0; block < site.blocks; ++block)
    for (int row = 0; row < site.rows; ++row) {
      Span span = clip(surface, site, block, row);
      if (span.count == 0) continue;  // out of bounds reads as zero
      check_inside(subgroup, span, false);
      int row_bytes = site.columns * site.element_bytes;
      if (span.count < row_bytes) std::memset(row_data, 0, row_bytes);
      std::memcpy(row_data + span.first, reinterpret_cast<const void*>(span.address), span.count);
      place_row(payload + block * block_bytes, map, site, row_data, row);
      counter.bytes_used += span.count;
    }
  counter.bytes_asked += static_cast<uint64_t>(site.rows) * site.columns * site.blocks * site.element_bytes;
  int count = elements_per_lane(site, block_bytes * site.blocks);
  switch (site.result_bytes) {
    case 1: return deal<uint8_t>(subgroup, payload, count);
    case 2: return deal<uint16_t>(subgroup, payload, count);
    case 4: return deal<uint32_t>(subgroup, payload, count);
    default: return deal<uint64_t>(subgroup, payload, count);
  }
}

void block_write(const Subgroup& subgroup, const Site& site, Counter& counter) {
  Surface surface = read_surface(subgroup, site);
  PayloadMap map(site);
  alignas(64) std::byte payload[2 * max_payload_bytes];
  int count = elements_per_lane(site, map.block_elements(site) * site.element_bytes);
  switch (site.result_bytes) {
    case 1: collect<uint8_t>(subgroup, payload, count); break;
    case 2: collect<uint16_t>(subgroup, payload, count); break;
    case 4: collect<uint32_t>(subgroup, payload, count); break;
    default: collect<uint64_t>(subgroup, payload, count); break;
  }
  for (int row = 0; row < site.rows; ++row) {
    Span span = clip(surface, site, 0, row);
    if (span.count == 0) continue;  // out of bounds is dropped
    check_inside(subgroup, span, true);
    std::memcpy(reinterpret_cast<void*>(span.address), payload + map.offset(row, 0) * site.element_bytes + span.first,
                span.count);
    counter.bytes_used += span.count;
  }
  counter.bytes_asked += static_cast<uint64_t>(site.rows) * site.columns * site.element_bytes;
}

// Nothing is read, so nothing can be out of bounds; the rules still apply.
void block_prefetch(const Subgroup& subgroup, const Site& site, Counter& counter) {
  Surface surface = read_surface(subgroup, site);
  counter.bytes_asked += static_cast<uint64_t>(site.rows) * site.columns * site.blocks * site.element_bytes;
  for (int block = 0; block < site.blocks; ++block)
    for (int row = 0; row < site.rows; ++row) counter.bytes_used += clip(surface, site, block, row).count;
}

}  // namespace xe
