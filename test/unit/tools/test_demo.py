"""`make demo`: its report on the GEMM's four operand loads."""

from __future__ import annotations

import re

import pytest

from dotload.tools import demo, demo_nvidia


def test_every_load_is_rewritten_and_proved(capsys):
    assert all(demo.show(transposed_b=transposed) for transposed in (False, True))
    shown = capsys.readouterr().out
    assert shown.count(" = tt.load ") == shown.count(" = ttig.2d_block_load ") == 4
    assert shown.count("proved: loaded layout composed with shuffles == encoding") == 4
    assert re.findall(r"(?m)^(A|B|B\^T): (.*)$", shown) == [
        ("A", "1 message of 16b_32r16x2c"),
        ("B", "2 messages of transform 16b_32r16x2c"),
        ("A", "1 message of 16b_32r16x2c"),
        ("B^T", "4 messages of transpose 32b_32r8x1c"),
    ]


def test_the_messages_are_in_the_llvm_dialect_that_follows(capsys):
    demo.show(transposed_b=True)
    lowered = capsys.readouterr().out.partition("After convert-2d-block-load-to-llvm:")[2]
    assert lowered.count("intel_sub_group_2d_block_read_transpose_32b_32r8x1c") == 4
    assert "[0, 2, 4, 6, 8, 10, 12, 14] : vector<16xi32>" in lowered


def test_the_fp8_kernel_is_shown_stock_beside_dotload(capsys):
    pytest.importorskip("triton")
    assert demo_nvidia.show()
    shown = capsys.readouterr().out
    assert "passed: row-major B (not K-major, 8 bits, tile 128x128)" in shown
    for name in ("ldmatrix", "prmt", "wavefronts per iteration, predicted"):
        assert re.search(rf"^{name} +[1-9][\d,]* +[1-9][\d,]*$", shown, re.MULTILINE), name
    assert re.search(r"^st.shared.b8 +[1-9]\d* +0$", shown, re.MULTILINE)
    assert re.search(r"stock's kernel: st.shared.b8: \d+ wavefronts .*, \d+-way bank conflicts$", shown, re.MULTILINE)
