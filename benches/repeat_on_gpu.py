"""Repeats on a graphics processor what DALEMBERT_GPU=record:DIR has recorded, compares the bits, and measures.

    DALEMBERT_GPU=record:DIR dalembert sweep MODEL ... --device gpu
    python3 benches/repeat_on_gpu.py DIR [--times 64] [--evaluations 12]

It needs Python, the driver, and nothing else: the machine with the processor may be bare. The runs are taken `--times` over.
`--evaluations` of y' are made in an attempt of a step.
"""

import argparse
import array
import ctypes
import pathlib
import sys
import time

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    if status != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        sys.exit(f"{name}: {text.value} ({status})")


def doubles(path):
    numbers = array.array("d")
    numbers.frombytes(path.read_bytes())
    return numbers


def tiled(data, count, times):
    """Each row of `count` numbers `times` over."""
    return b"".join(data[at : at + 8 * count] * times for at in range(0, len(data), 8 * count))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--times", type=int, default=64)
    parser.add_argument("--evaluations", type=int, default=12)
    given = parser.parse_args()
    ptx = (given.folder / "iterate.ptx").read_bytes() + b"\0"
    count = (given.folder / "status").stat().st_size // 8
    many = count * given.times
    parameters = tiled((given.folder / "parameters").read_bytes(), count, given.times)
    start = tiled((given.folder / "start").read_bytes(), count, given.times)
    end, rows, status = ((given.folder / name).read_bytes() for name in ("end", "rows", "status"))
    call("cuInit", 0)
    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    name = ctypes.create_string_buffer(256)
    call("cuDeviceGetName", name, 255, device)
    processors = ctypes.c_int()
    call("cuDeviceGetAttribute", ctypes.byref(processors), 16, device)

    def memory(size):
        address = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 8)))
        return address

    sampled = len(rows) * given.times
    places = [memory(len(parameters)), memory(len(start)), memory(sampled), memory(8 * many), memory(8)]
    call("cuMemcpyHtoD_v2", places[0], parameters, ctypes.c_size_t(len(parameters)))
    steps = None
    for registers in (0, 168, 128):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        options, values = (ctypes.c_int * 1)(0), (ctypes.c_void_p * 1)(registers)
        begin = time.perf_counter()
        call("cuModuleLoadDataEx", ctypes.byref(module), ptx, 1 if registers else 0, options, values)
        compiled = time.perf_counter() - begin
        call("cuModuleGetFunction", ctypes.byref(function), module, b"iterate")
        used, spilt = ctypes.c_int(), ctypes.c_int()
        call("cuFuncGetAttribute", ctypes.byref(used), 4, function)
        call("cuFuncGetAttribute", ctypes.byref(spilt), 3, function)
        for threads in (64, 128, 256):
            blocks = ctypes.c_int()
            call("cuOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(blocks), function, threads, ctypes.c_size_t(0))
            if blocks.value == 0:
                continue
            best = float("inf")
            for _ in range(4):
                call("cuMemcpyHtoD_v2", places[1], start, ctypes.c_size_t(len(start)))
                call("cuMemsetD32_v2", places[2], 0, ctypes.c_size_t(max(sampled // 4, 2)))
                call("cuMemsetD32_v2", places[4], 0, ctypes.c_size_t(2))
                call("cuCtxSynchronize")
                number = ctypes.c_uint32(many)
                pointers = (ctypes.c_void_p * 6)(*(ctypes.cast(ctypes.byref(x), ctypes.c_void_p) for x in (*places, number)))
                begin = time.perf_counter()
                call("cuLaunchKernel", function, processors.value * blocks.value, 1, 1, threads, 1, 1, 0, None, pointers, None)
                call("cuCtxSynchronize")
                best = min(best, time.perf_counter() - begin)
            there = ctypes.create_string_buffer(len(start))
            said = ctypes.create_string_buffer(8 * many)
            call("cuMemcpyDtoH_v2", there, places[1], ctypes.c_size_t(len(start)))
            call("cuMemcpyDtoH_v2", said, places[3], ctypes.c_size_t(8 * many))
            complete = array.array("d", status).count(1.0)
            finished = [s == 1.0 for s in array.array("d", status)]
            same = said.raw == status * given.times
            expected = tiled(end, count, given.times)
            if there.raw != expected:  # what was left may be no number, whose bits mean nothing
                a, b = array.array("d", there.raw), array.array("d", expected)
                same = same and all(x == y or not finished[i % count] for i, (x, y) in enumerate(zip(a, b)))
            if rows:
                written = ctypes.create_string_buffer(sampled)
                call("cuMemcpyDtoH_v2", written, places[2], ctypes.c_size_t(sampled))
                same = same and written.raw == tiled(rows, count, given.times)
            ends = array.array("d", end)
            steps = sum(ends[(len(ends) // count - 2) * count :])
            print(f"{name.value.decode()}: {many} runs, {complete * given.times} to their end, {used.value} registers, "
                  f"{spilt.value} bytes spilt, {threads} threads a block, {blocks.value} blocks, compiled in {compiled:.2f} s: "
                  f"{best * 1e3:.2f} ms, {many / best:.4g} runs/s, {given.evaluations * steps * given.times / best:.3g} evaluations/s, "
                  f"{'the same bits' if same else 'OTHER BITS'}", flush=True)
        call("cuModuleUnload", module)


main()
