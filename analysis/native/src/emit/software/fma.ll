
; a * b + c, rounded once: the product and the sum are made of whole numbers that lose nothing.
define internal double @lanescope.fma(double %a, double %b, double %c) #0 {
entry:
  %a.bits = bitcast double %a to i64
  %b.bits = bitcast double %b to i64
  %c.bits = bitcast double %c to i64
  %a.size = and i64 %a.bits, 9223372036854775807
  %b.size = and i64 %b.bits, 9223372036854775807
  %c.size = and i64 %c.bits, 9223372036854775807
  ; With an infinity, an unknown, or a zero factor, ordinary arithmetic is exact.
  %a.bad = icmp uge i64 %a.size, 9218868437227405312
  %b.bad = icmp uge i64 %b.size, 9218868437227405312
  %c.bad = icmp uge i64 %c.size, 9218868437227405312
  %a.zero = icmp eq i64 %a.size, 0
  %b.zero = icmp eq i64 %b.size, 0
  %bad.0 = or i1 %a.bad, %b.bad
  %bad.1 = or i1 %bad.0, %c.bad
  %bad.2 = or i1 %bad.1, %a.zero
  %ordinary = or i1 %bad.2, %b.zero
  br i1 %ordinary, label %plain, label %factors
plain:
  %plain.product = fmul double %a, %b
  %plain.sum = fadd double %plain.product, %c
  ; A product that is finite changes no infinity, though rounded it may be one itself.
  %infinite.factor = or i1 %a.bad, %b.bad
  %finite = xor i1 %infinite.factor, true
  %c.alone = and i1 %finite, %c.bad
  %plain.result = select i1 %c.alone, double %c, double %plain.sum
  ret double %plain.result
factors:
  %c.zero = icmp eq i64 %c.size, 0
  br i1 %c.zero, label %product.only, label %exact
product.only:
  %only = fmul double %a, %b
  ret double %only
exact:
  %a.parts = call { i64, i64 } @lanescope.fma.parts(i64 %a.size)
  %b.parts = call { i64, i64 } @lanescope.fma.parts(i64 %b.size)
  %c.parts = call { i64, i64 } @lanescope.fma.parts(i64 %c.size)
  %a.digits = extractvalue { i64, i64 } %a.parts, 0
  %b.digits = extractvalue { i64, i64 } %b.parts, 0
  %c.digits = extractvalue { i64, i64 } %c.parts, 0
  %a.power = extractvalue { i64, i64 } %a.parts, 1
  %b.power = extractvalue { i64, i64 } %b.parts, 1
  %c.power = extractvalue { i64, i64 } %c.parts, 1
  ; The product, with 64 digits of room below it.
  %a.wide = zext i64 %a.digits to i512
  %b.wide = zext i64 %b.digits to i512
  %c.wide = zext i64 %c.digits to i512
  %product.0 = mul i512 %a.wide, %b.wide
  %product.1 = shl i512 %product.0, 64
  %powers = add i64 %a.power, %b.power
  %product.power = sub i64 %powers, 64
  ; c on the same scale. Too far above, the product only tells which way to round; too far below, c does.
  %apart = sub i64 %c.power, %product.power
  %above = icmp sgt i64 %apart, 190
  %below = icmp slt i64 %apart, 0
  %up.0 = call i64 @llvm.smin.i64(i64 %apart, i64 190)
  %up.1 = call i64 @llvm.smax.i64(i64 %up.0, i64 0)
  %up = zext i64 %up.1 to i512
  %c.up = shl i512 %c.wide, %up
  %down.0 = sub i64 0, %apart
  %down.1 = call i64 @llvm.smin.i64(i64 %down.0, i64 64)
  %down.2 = call i64 @llvm.smax.i64(i64 %down.1, i64 0)
  %down = zext i64 %down.2 to i512
  %c.down.0 = lshr i512 %c.wide, %down
  %c.back = shl i512 %c.down.0, %down
  %c.lost = icmp ne i512 %c.back, %c.wide
  %c.lost.wide = zext i1 %c.lost to i512
  %c.down = or i512 %c.down.0, %c.lost.wide
  %c.scaled = select i1 %below, i512 %c.down, i512 %c.up
  %product = select i1 %above, i512 1, i512 %product.1
  %c.base = sub i64 %c.power, 190
  %power = select i1 %above, i64 %c.base, i64 %product.power
  ; The sum, its sign apart.
  %signs = xor i64 %a.bits, %b.bits
  %product.negative = icmp slt i64 %signs, 0
  %c.negative = icmp slt i64 %c.bits, 0
  %product.minus = sub i512 0, %product
  %c.minus = sub i512 0, %c.scaled
  %product.signed = select i1 %product.negative, i512 %product.minus, i512 %product
  %c.signed = select i1 %c.negative, i512 %c.minus, i512 %c.scaled
  %sum = add i512 %product.signed, %c.signed
  %none = icmp eq i512 %sum, 0
  br i1 %none, label %zero, label %round
zero:
  ret double 0.0
round:
  %negative = icmp slt i512 %sum, 0
  %sum.minus = sub i512 0, %sum
  %size = select i1 %negative, i512 %sum.minus, i512 %sum
  ; All digits at the top, and how many of them a double keeps.
  %free.wide = call i512 @llvm.ctlz.i512(i512 %size, i1 true)
  %free = trunc i512 %free.wide to i64
  %digits = shl i512 %size, %free.wide
  %used = sub i64 511, %free
  %top = add i64 %power, %used
  %normal = icmp sge i64 %top, -1022
  %fewer = add i64 %top, 1075
  %keep.0 = select i1 %normal, i64 53, i64 %fewer
  ; With -1 kept, all is far below half of the least that there is.
  %keep = call i64 @llvm.smax.i64(i64 %keep.0, i64 -1)
  %drop.0 = sub i64 512, %keep
  ; 513 and 512 digits cannot be shifted out at once: half of the digits go first, what they held kept as one.
  %digits.half.0 = lshr i512 %digits, 256
  %digits.half.1 = shl i512 %digits.half.0, 256
  %digits.lost = icmp ne i512 %digits.half.1, %digits
  %digits.lost.wide = zext i1 %digits.lost to i512
  %digits.half = or i512 %digits.half.0, %digits.lost.wide
  %drop.1 = sub i64 %drop.0, 256
  %drop = zext i64 %drop.1 to i512
  %kept = lshr i512 %digits.half, %drop
  %kept.back = shl i512 %kept, %drop
  %rest = sub i512 %digits.half, %kept.back
  %drop.less = sub i512 %drop, 1
  %half = shl i512 1, %drop.less
  %more = icmp ugt i512 %rest, %half
  %tie = icmp eq i512 %rest, %half
  %kept.narrow = trunc i512 %kept to i64
  %odd = trunc i64 %kept.narrow to i1
  %tie.up = and i1 %tie, %odd
  %up.round = or i1 %more, %tie.up
  %one = zext i1 %up.round to i64
  %rounded = add i64 %kept.narrow, %one
  ; A carry out of the digits raises the exponent, as it should.
  %exponent.0 = add i64 %top, 1022
  %exponent = shl i64 %exponent.0, 52
  %whole = add i64 %rounded, %exponent
  %too.large = icmp sgt i64 %top, 1023
  %fitting = select i1 %normal, i64 %whole, i64 %rounded
  %result.size = select i1 %too.large, i64 9218868437227405312, i64 %fitting
  %sign = select i1 %negative, i64 -9223372036854775808, i64 0
  %result.bits = or i64 %result.size, %sign
  %result = bitcast i64 %result.bits to double
  ret double %result
}

; The 53 digits of a number and the power of two they count in.
define internal { i64, i64 } @lanescope.fma.parts(i64 %size) #0 {
entry:
  %exponent = lshr i64 %size, 52
  %fraction = and i64 %size, 4503599627370495
  %normal = icmp ne i64 %exponent, 0
  %whole = or i64 %fraction, 4503599627370496
  %above = call i64 @llvm.ctlz.i64(i64 %size, i1 false)
  %up.0 = sub i64 %above, 11
  %up = and i64 %up.0, 63
  %raised = shl i64 %size, %up
  %lowered = sub i64 -1074, %up
  %power.0 = sub i64 %exponent, 1075
  %digits = select i1 %normal, i64 %whole, i64 %raised
  %power = select i1 %normal, i64 %power.0, i64 %lowered
  %0 = insertvalue { i64, i64 } poison, i64 %digits, 0
  %1 = insertvalue { i64, i64 } %0, i64 %power, 1
  ret { i64, i64 } %1
}
