"""Arguments of serving kernels: random tensors, and where a cache keeps the tokens of its sequences."""

from __future__ import annotations

from typing import Any

FP8 = "float8_e4m3fn"


def numbers(*shape: int, dtype: str = "bfloat16") -> Any:
    """Random numbers; of whole ones, all that the type has."""
    import torch

    kind = getattr(torch, dtype)
    if kind.is_floating_point:
        return torch.randn(shape, device="cuda").to(kind)
    limits = torch.iinfo(kind)
    return torch.randint(limits.min, limits.max, shape, device="cuda", dtype=kind)


def scales(*shape: int, dtype: str = "float32") -> Any:
    """Random numbers about 0.01."""
    import torch

    return ((torch.rand(shape, device="cuda") + 0.5) / 100).to(getattr(torch, dtype))


def lengths(sequences: int, length: int) -> Any:
    """The lengths of sequences, all equal."""
    import torch

    return torch.full((sequences,), length, device="cuda", dtype=torch.int32)


def starts(sequences: int, length: int) -> Any:
    """Where each sequence starts, and the end."""
    import torch

    return torch.arange(sequences + 1, device="cuda", dtype=torch.int32) * length


def places(sequences: int, count: int) -> Any:
    """Where the cache has the pages, or tokens, of each sequence: anywhere."""
    import torch

    return torch.randperm(sequences * count, device="cuda").to(torch.int32).view(sequences, count)


def empty(*shape: int, dtype: str = "bfloat16") -> Any:
    """For results."""
    import torch

    return torch.zeros(shape, device="cuda", dtype=getattr(torch, dtype))


def chosen(*shape: int, below: int) -> Any:
    """Rows of different whole numbers in random order."""
    import torch

    return torch.rand(*shape[:-1], below, device="cuda").argsort(-1)[..., : shape[-1]].to(torch.int32).contiguous()


def exponents(*shape: int) -> Any:
    """Scales that are powers of two, as bytes: 1 to 1/8."""
    import torch

    return torch.randint(124, 128, shape, device="cuda", dtype=torch.uint8)
