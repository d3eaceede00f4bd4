"""Kernels as people write them, which together use many of Triton's ops. They are compiled, never run."""

import triton
import triton.language as tl


@triton.jit
def gemm(
    a,
    b,
    c,
    M,
    N,
    K,
    sam,
    sak,
    sbk,
    sbn,
    scm,
    scn,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    ACC: tl.constexpr,
    G: tl.constexpr,
):
    pid = tl.program_id(0)
    npm = tl.cdiv(M, BM)
    npn = tl.cdiv(N, BN)
    g = G * npn
    gid = pid // g
    first = gid * G
    gsz = min(npm - first, G)
    pm = first + (pid % g) % gsz
    pn = (pid % g) // gsz
    om = (pm * BM + tl.arange(0, BM)) % M
    on = (pn * BN + tl.arange(0, BN)) % N
    ok = tl.arange(0, BK)
    pa = a + (om[:, None] * sam + ok[None, :] * sak)
    pb = b + (ok[:, None] * sbk + on[None, :] * sbn)
    acc = tl.zeros((BM, BN), dtype=ACC)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(pa, mask=ok[None, :] < K - k * BK, other=0.0 if a.dtype.element_ty.is_floating() else 0)
        y = tl.load(pb, mask=ok[:, None] < K - k * BK, other=0.0 if a.dtype.element_ty.is_floating() else 0)
        acc = tl.dot(x, y, acc)
        pa += BK * sak
        pb += BK * sbk
    ocm = pm * BM + tl.arange(0, BM)
    ocn = pn * BN + tl.arange(0, BN)
    pc = c + scm * ocm[:, None] + scn * ocn[None, :]
    m = (ocm[:, None] < M) & (ocn[None, :] < N)
    tl.store(pc, acc.to(c.dtype.element_ty), mask=m)


@triton.jit
def gemm_desc(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, P: tl.constexpr, WS: tl.constexpr
):
    da = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    db = tl.make_tensor_descriptor(b, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    dc = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    np_ = tl.num_programs(0)
    nt = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for t in tl.range(tl.program_id(0), nt, np_, flatten=P, warp_specialize=WS):
        pm = t // tl.cdiv(N, BN)
        pn = t % tl.cdiv(N, BN)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            x = da.load([pm * BM, k * BK])
            y = db.load([pn * BN, k * BK])
            acc = tl.dot(x, y.T, acc)
        dc.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def attn(Q, K, V, Out, L, sm, N, s0, H: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    pm = tl.program_id(0)
    pz = tl.program_id(1).to(tl.int64)
    om = pm * BM + tl.arange(0, BM)
    on = tl.arange(0, BN)
    oh = tl.arange(0, H)
    q = tl.load(Q + pz * s0 + om[:, None] * H + oh[None, :], mask=om[:, None] < N, other=0.0)
    m = tl.full([BM], float("-inf"), tl.float32)
    norm = tl.zeros([BM], tl.float32) + 1.0
    acc = tl.zeros([BM, H], tl.float32)
    for start in range(0, (pm + 1) * BM if CAUSAL else N, BN):
        k = tl.load(K + pz * s0 + (start + on)[None, :] * H + oh[:, None])
        s = tl.dot(q, k) * sm
        if CAUSAL:
            s = tl.where(om[:, None] >= (start + on)[None, :], s, float("-inf"))
        mn = tl.maximum(m, tl.max(s, 1))
        p = tl.math.exp2(s - mn[:, None])
        al = tl.math.exp2(m - mn)
        norm = norm * al + tl.sum(p, 1)
        acc = acc * al[:, None]
        v = tl.load(
            V + pz * s0 + (start + on)[:, None] * H + oh[None, :], cache_modifier=".cg", eviction_policy="evict_last"
        )
        acc = tl.dot(p.to(tl.float16), v, acc)
        m = mn
    acc = acc / norm[:, None]
    tl.store(L + pz * N + om, m + tl.math.log2(norm))
    tl.store(Out + pz * s0 + om[:, None] * H + oh[None, :], acc.to(tl.float16))


@triton.jit
def softmax(o, i, n, S: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, S)
    x = tl.load(i + r * n + c, mask=c < n, other=-float("inf"))
    z = x - tl.max(x, axis=0)
    e = tl.exp(z)
    tl.store(o + r * n + c, e / tl.sum(e, axis=0), mask=c < n)


@triton.jit
def layernorm(X, Y, W, B, Mean, N, eps, S: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros([S], tl.float32)
    for off in range(0, N, S):
        c = off + tl.arange(0, S)
        acc += tl.load(X + row * N + c, mask=c < N, other=0.0).to(tl.float32)
    mean = tl.sum(acc, axis=0) / N
    tl.store(Mean + row, mean)
    for off in range(0, N, S):
        c = off + tl.arange(0, S)
        x = tl.load(X + row * N + c, mask=c < N, other=0.0, eviction_policy="evict_first").to(tl.float32)
        w = tl.load(W + c, mask=c < N)
        b = tl.load(B + c, mask=c < N)
        y = (x - mean) * tl.rsqrt(tl.sum((x - mean) * (x - mean)) / N + eps) * w + b
        tl.store(Y + row * N + c, y, mask=c < N)


@triton.jit
def helper(x, y):
    return x * 2 + y, tl.maximum(x, y)


@triton.jit
def misc(p, q, f, n, S: tl.constexpr):
    i = tl.arange(0, S)
    x = tl.load(p + i)
    v, idx = tl.max(x, 0, return_indices=True)
    c = tl.cumsum(x, 0)
    d = tl.associative_scan(x, 0, tl.standard._sum_combine)
    y = tl.reshape(x, (S // 2, 2))
    a, b = tl.split(y)
    j = tl.join(b, a)
    t = tl.trans(j, 1, 0)
    t2 = tl.permute(j, (1, 0))
    h = tl.histogram(i % 16, 16)
    old = tl.atomic_add(q + i, i, sem="acq_rel", scope="gpu")
    tl.atomic_cas(q, 0, 1)
    tl.atomic_max(f, v)
    g = tl.gather(x, i % S, 0)
    z = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [i], dtype=tl.int32, is_pure=True, pack=1)
    w = tl.clamp(x, 0.0, 1.0)
    fm = tl.fma(x, x, x)
    k = 0
    while k < n:
        k += tl.load(q + k)
    if n > 4:
        tl.device_print("x", k)
        tl.store(p + i, w + g + fm)
    elif n == 3:
        tl.store(p, v)
    tl.device_assert(n > 0, "n")
    e8 = x.to(tl.float8e5, fp_downcast_rounding="rtz")
    e4 = x.to(tl.float8e4nv)
    bc = e8.to(tl.uint8, bitcast=True)
    many = tl.sin(x) + tl.erf(x) + tl.abs(x) + tl.floor(x) + tl.sqrt_rn(x) + tl.div_rn(x, x)
    tl.store(p + i + z + old, e8.to(tl.float32) + e4.to(tl.float32) + many)
    tl.store(q + i + bc.to(tl.int32) + idx + tl.umulhi(i, i), i ^ ~i | (i << 2) & (i >> 1))
    tl.store(p + i, c + d + x.to(tl.bfloat16).to(tl.float32))
    tl.store(p + tl.arange(0, 2)[:, None] * 4 + tl.arange(0, S // 2)[None, :], t + t2)
    tl.store(q + tl.arange(0, 16), h)
    xx, yy = helper(x, x)
    tl.store(p + i, xx + yy, mask=tl.load(q + i) > 0)
    tl.debug_barrier()
    ptr = (q + 1).to(tl.int64) + 4
    tl.store(ptr.to(tl.pointer_type(tl.int32)), 7)
    tl.multiple_of(i, 4)


@triton.jit
def dot_scaled(a, as_, b, bs, c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    s = tl.arange(0, BK // 32)
    x = tl.load(a + m[:, None] * BK + k[None, :])
    y = tl.load(b + k[:, None] * BN + n[None, :])
    xs = tl.load(as_ + m[:, None] * (BK // 32) + s[None, :])
    ys = tl.load(bs + n[:, None] * (BK // 32) + s[None, :])
    acc = tl.dot_scaled(x, xs, "e4m3", y, ys, "e4m3")
    tl.store(c + m[:, None] * BN + n[None, :], acc)
