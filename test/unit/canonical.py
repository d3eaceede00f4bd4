"""The canonical layouts of the PTX ISA as it has them: with repeat counts and byte offsets."""

from dataclasses import dataclass

from dotload.layout.cute import CuteLayout
from dotload.layout.linear import LayoutError
from dotload.layout.swizzle import ATOM_LINES, CHUNK_BYTES, Major, Mode


@dataclass(frozen=True)
class Canonical:
    """A canonical layout of the PTX ISA, with its repeat counts and byte offsets.

    `repeats_mn`: 8-line groups (K-major) or atoms (MN-major) along m or n, the manual's m; `chunks_k`: 16-byte chunks
    along k (K-major; the manual writes 2k, one instruction reads 2) or 8-line groups (MN-major; the manual's k).
    """

    major: Major
    mode: Mode
    element_bits: int
    repeats_mn: int
    repeats_k: int
    leading_bytes: int
    stride_bytes: int

    @property
    def cute(self) -> CuteLayout:
        """The expression of the PTX ISA's table, for all eight rows from one formula.

        LBO and SBO trade places in the MN-major layout without swizzling, as the manual has it.
        """
        chunk = CHUNK_BYTES * 8 // self.element_bits
        line = self.mode.chunks * chunk
        leading, stride = (self._elements(value) for value in (self.leading_bytes, self.stride_bytes))
        swizzle = self.mode.swizzle()
        if self.major is Major.K:
            next_chunk = chunk if self.mode is not Mode.NONE else leading
            return CuteLayout(
                ((ATOM_LINES, self.repeats_mn), (chunk, self.repeats_k)),
                ((line, stride), (1, next_chunk)),
                self.element_bits,
                swizzle,
            )
        next_mn, next_k = (stride, leading) if self.mode is Mode.NONE else (leading, stride)
        return CuteLayout(
            ((chunk, self.mode.chunks, self.repeats_mn), (ATOM_LINES, self.repeats_k)),
            ((1, chunk, next_mn), (line, next_k)),
            self.element_bits,
            swizzle,
        )

    def check(self) -> None:
        """LayoutError if two coordinates share an address.

        In the swizzled K-major layouts the chunks along k have stride T: chunks beyond the width of a line fall into
        the next line. The manual's mode (T,2k) therefore holds for 2k <= width / 16 only.
        """
        if self.major is Major.K and self.mode is not Mode.NONE and self.repeats_k > self.mode.chunks:
            raise LayoutError(
                f"{self.cute}: {self.repeats_k} chunks of 16 bytes along k do not fit in a line of "
                f"{self.mode.width_bytes} bytes; chunk {self.mode.chunks} of a row is chunk 0 of the next"
            )
        count = 1
        for extent in self.cute.extents:
            count *= extent
        if self.cute.distinct_offsets != count:
            raise LayoutError(f"{self.cute}: {count} coordinates share {self.cute.distinct_offsets} offsets")

    def _elements(self, size_bytes: int) -> int:
        return size_bytes * 8 // self.element_bits
