"""What a launch reports, and that the emulated machine is the same for any number of cores."""

import numpy as np
import pytest
from xe_kernels import aligned, mangled, module, store_vector

from dotload.emulator import Kind, render
from dotload.emulator.progress import line

READ = mangled("intel_sub_group_2d_block_read_16b_8r16x1c", "PU3AS1viiiDv2_iPt")
GROUP = mangled("get_group_id", "j")


def reader(rounds: int) -> str:
    """Every work-group reads `rounds` blocks and adds up 1.0 in its place, once a lane."""
    body = f"""
  %data = alloca <8 x i16>, align 64
  %g = call i64 @{GROUP}(i32 0)
  %place = getelementptr float, ptr addrspace(1) %out, i64 %g
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %y = insertelement <2 x i32> zeroinitializer, i32 %i, i32 1
  call void @{READ}(ptr addrspace(1) %in, i32 64, i32 4, i32 64, <2 x i32> %y, ptr %data)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, {rounds}
  br i1 %more, label %loop, label %done
done:
  %old = atomicrmw fadd ptr addrspace(1) %place, float 1.0 monotonic
"""
    declarations = f"declare void @{READ}(ptr addrspace(1), i32, i32, i32, <2 x i32>, ptr)\ndeclare i64 @{GROUP}(i32)"
    return module(body, "ptr addrspace(1) %in, ptr addrspace(1) %out", declarations)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_counters_do_not_depend_on_the_cores(threads: int, launch) -> None:
    out = np.zeros(7, np.float32)
    report = launch(reader(3), aligned((4, 32), np.uint16), out, grid=(7,), num_warps=2, threads=threads)
    assert (out == 32).all()
    reads = report.by_shape()["read_16b_8r16x1c"]
    assert reads.messages == 7 * 2 * 3
    assert reads.bytes_asked == reads.messages * 256
    assert reads.bytes_used == 7 * 2 * (4 + 3 + 2) * 32  # rows that still lie in a surface of 4, from rows 0, 1, 2
    stores = report.by_shape()["atomicrmw_32b"]
    assert (stores.messages, stores.bytes_asked) == (14, 7 * 32 * 4)
    assert report.load_messages == 42
    assert report.dpas == 0
    loop, outside = 6, 8
    assert report.lane_instructions == 7 * 32 * (3 * loop + outside)


def test_lane_instructions_grow_with_the_loop(launch) -> None:
    counts = []
    for rounds in (1, 2, 3):
        report = launch(reader(rounds), aligned((4, 32), np.uint16), np.zeros(1, np.float32))
        counts.append(report.lane_instructions)
    assert counts[2] - counts[1] == counts[1] - counts[0] > 0


def test_a_masked_load_is_one_message_for_all_its_lanes(launch) -> None:
    body = f"""
  %in_mask = icmp ult i32 %item, 5
  br i1 %in_mask, label %do, label %skip
do:
  %p = getelementptr i16, ptr addrspace(1) %in, i32 %item
  %x = load i16, ptr addrspace(1) %p
  br label %skip
skip:
  %v = phi i16 [ %x, %do ], [ 0, %entry ]
{store_vector("v", "i16", 1, "i16")}"""
    out = np.ones(16, np.uint16)
    report = launch(
        module(body, "ptr addrspace(1) %in, ptr addrspace(1) %out"), np.full(5, 9, np.uint16), out, num_warps=1
    )
    assert out.tolist() == [9] * 5 + [0] * 11
    (load,) = report.select(Kind.LOAD)
    assert (load.messages, load.bytes_asked) == (1, 10)


def test_tables_show_every_version_side_by_side(launch) -> None:
    reports = [launch(reader(rounds), aligned((4, 32), np.uint16), np.zeros(1, np.float32)) for rounds in (1, 4)]
    text = render(reports, ["one", "four"])
    assert "kernel: grid 1 x 1 x 1, 1 subgroups of 16" in text
    (row,) = [line.split() for line in text.splitlines() if line.startswith("read_16b_8r16x1c")]
    assert row == ["read_16b_8r16x1c", "1", "256", "128", "4", "1,024", "320"]
    assert "one: messages" in text
    assert "four: messages" in text
    assert str(reports[0]).count("\n") > 5


def test_progress_bar() -> None:
    assert line(0, 8, 2.0) == f"[{'.' * 40}] 0/8 work-groups, 2 s"
    assert line(2, 8, 3.0) == f"[{'#' * 10}{'.' * 30}] 2/8 work-groups, 3 s, 9 s left"
