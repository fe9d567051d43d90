
; a * b + c, rounded once, in each of N lanes: by sums and products whose errors are known exactly, where that is right, which is
; nearly always. Where it may not be, all lanes are computed one by one.
;
; Why it is right, for one lane; u(x) is the worth of the last of x's 53 digits, so that rounding to x errs by u(x) / 2 at most.
;
; 1. Nothing overflows unseen. What is not finite stays so through all sums and products here, up to `rest`, and then there is
;    doubt: if no operand is a NaN (where one is, the result is one, too), `rest` is infinite or the NaN of an invalid operation,
;    which both have 2 digits at most, and `none` is a NaN, so that both comparisons hold.
;
; 2. There is doubt where both |product| and |c| are below 2^-895: zeros, too, so that the sign of a zero is never at stake but
;    for sums that cancel, and `sum` is +0 there as it has to be.
;
; 3. If |product| < 2^-968 the result is c, since |c| >= 2^-895 and u(c) / 4 >= 2^-949. And it is what comes out, however wrong
;    `error` is: no part of a product is above 4 * 2^-968, so |error| < 2^-960 and |lost| = |product|, and c absorbs both.
;
; 4. Otherwise a * b = product + error. Let a = A q and b = B r, with A and B whole, below 2^53, and q and r powers of two.
;    Then |a b| < 2^106 q r, so q r >= 2^-1074: whole multiples of it are exact if they have 53 digits. Count in units of q r,
;    and let B >= 2^52 (one factor may be subnormal, both would make a product that is less), and A 2^k >= 2^52 just so, k >= 0.
;    `a.upper` and `b.upper` are multiples of 2^27, ties rounded down, and at most 2^26 away. With k = 0 all products of parts have
;    53 digits, `product` is a multiple of 2^52, `upper` of 2^54, and `product - upper` is below 2^81. The two parts of `cross` are
;    multiples of 2^27 up to 2^79, so `cross` is exact. Behind it there are the whole number `lower` and what `product` is too much
;    by, each up to 2^52, and `error` is minus the latter: all of them have 53 digits. With k > 0 count in 2^-k of these units. Up
;    to k = 25 the bounds grow as 2^k, `cross` and `lower` are multiples of 2^(27 + k) and 2^k, and `product - upper` is below 2^105, a
;    multiple of 2^52. From A <= 2^26 on, `a.upper` is 0 and `product - upper` is `product`. Between, 2^26 < A < 2^27, `a.upper` is 2^27
;    and `product` is between a half of `upper` and twice that, so the difference is exact. (With ties rounded up it would not be, for
;    A = 2^26.)
;
; 5. product + c = sum + lost, always, if nothing overflows; sums of this size lose nothing for being small, and a `result` that is
;    subnormal is exact. So a * b + c = sum + lost + error. If `lost` or `error` is 0, `rest` is exact, and `result` rounds once.
;
; 6. Otherwise `rest` is rounded to nearest itself, which tells no number from one that lies just beside it. But `result` is wrong only if
;    the exact sum and sum + rest do not lie on the same side of a midpoint m of two neighbouring numbers. m - sum has few digits, so
;    rounding does not pass it: it can only reach it, rest = m - sum. As `sum` is not exact, c is not between half and twice
;    -product, so |product| <= 2 |sum|, |error| <= u(sum), |lost| <= u(sum) / 2 and |rest| <= 3/2 u(sum). Midpoints that
;    near are multiples of u(sum) / 4 away, 6 of them at most: so `rest` has 3 digits at most, or else the result is right.
define internal <N x double> @lanescope.fma.vNf64(<N x double> %a, <N x double> %b, <N x double> %c) alwaysinline #0 {
entry:
  ; Each factor is the sum of two numbers of at most 26 digits, the upper one rounded to nearest.
  %a.bits = bitcast <N x double> %a to <N x i64>
  %b.bits = bitcast <N x double> %b to <N x i64>
  %a.near = add <N x i64> %a.bits, splat (i64 67108863)
  %b.near = add <N x i64> %b.bits, splat (i64 67108863)
  %a.upper.bits = and <N x i64> %a.near, splat (i64 -134217728)
  %b.upper.bits = and <N x i64> %b.near, splat (i64 -134217728)
  %a.upper = bitcast <N x i64> %a.upper.bits to <N x double>
  %b.upper = bitcast <N x i64> %b.upper.bits to <N x double>
  %a.lower = fsub <N x double> %a, %a.upper
  %b.lower = fsub <N x double> %b, %b.upper
  ; a * b = product + error.
  %product = fmul <N x double> %a, %b
  %upper = fmul <N x double> %a.upper, %b.upper
  %cross.0 = fmul <N x double> %a.upper, %b.lower
  %cross.1 = fmul <N x double> %a.lower, %b.upper
  %lower = fmul <N x double> %a.lower, %b.lower
  %cross = fadd <N x double> %cross.0, %cross.1
  %above.0 = fsub <N x double> %product, %upper
  %above = fsub <N x double> %above.0, %cross
  %error = fsub <N x double> %lower, %above
  ; product + c = sum + lost.
  %sum = fadd <N x double> %product, %c
  %c.part = fsub <N x double> %sum, %product
  %product.part = fsub <N x double> %sum, %c.part
  %c.lost = fsub <N x double> %c, %c.part
  %product.lost = fsub <N x double> %product, %product.part
  %lost = fadd <N x double> %product.lost, %c.lost
  %rest = fadd <N x double> %lost, %error
  %result = fadd <N x double> %sum, %rest
  ; Where that may not be the result.
  %rest.bits = bitcast <N x double> %rest to <N x i64>
  %rest.digits = and <N x i64> %rest.bits, splat (i64 1125899906842623)
  %few = icmp eq <N x i64> %rest.digits, zeroinitializer
  %none = fsub <N x double> %rest, %rest
  %some.error = fcmp une <N x double> %error, %none
  %some.lost = fcmp une <N x double> %lost, %none
  %few.of.0 = and <N x i1> %few, %some.error
  %few.of = and <N x i1> %few.of.0, %some.lost
  %product.bits = bitcast <N x double> %product to <N x i64>
  %c.bits = bitcast <N x double> %c to <N x i64>
  %both.bits = or <N x i64> %product.bits, %c.bits
  %both.scale = and <N x i64> %both.bits, splat (i64 8646911284551352320)
  %tiny = icmp eq <N x i64> %both.scale, zeroinitializer
  %doubtful = or <N x i1> %few.of, %tiny
  %any = call i1 @llvm.vector.reduce.or.vNi1(<N x i1> %doubtful)
  br i1 %any, label %rare, label %done
rare:
  %exact = call <N x double> @lanescope.fma.vNf64.rare(<N x double> %a, <N x double> %b, <N x double> %c)
  br label %done
done:
  %chosen = phi <N x double> [ %result, %entry ], [ %exact, %rare ]
  ret <N x double> %chosen
}
