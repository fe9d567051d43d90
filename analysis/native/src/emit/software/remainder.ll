
; What is left of x when y is taken from it as often as it goes: exact, with the sign of x.
define internal double @lanescope.remainder(double %x, double %y) #0 {
entry:
  %x.bits = bitcast double %x to i64
  %y.bits = bitcast double %y to i64
  %x.size = and i64 %x.bits, 9223372036854775807
  %y.size = and i64 %y.bits, 9223372036854775807
  %sign = and i64 %x.bits, -9223372036854775808
  ; No remainder: an infinite or unknown x, an unknown y, a zero y.
  %x.bad = icmp uge i64 %x.size, 9218868437227405312
  %y.bad = icmp ugt i64 %y.size, 9218868437227405312
  %y.zero = icmp eq i64 %y.size, 0
  %bad.0 = or i1 %x.bad, %y.bad
  %bad = or i1 %bad.0, %y.zero
  br i1 %bad, label %unknown, label %known
unknown:
  ret double 0x7FF8000000000000
known:
  %less = icmp ult i64 %x.size, %y.size
  br i1 %less, label %itself, label %divide
itself:
  ret double %x
divide:
  %x.parts = call { i64, i64 } @lanescope.remainder.parts(i64 %x.size)
  %y.parts = call { i64, i64 } @lanescope.remainder.parts(i64 %y.size)
  %x.digits = extractvalue { i64, i64 } %x.parts, 0
  %x.power = extractvalue { i64, i64 } %x.parts, 1
  %y.digits = extractvalue { i64, i64 } %y.parts, 0
  %y.power = extractvalue { i64, i64 } %y.parts, 1
  %first = urem i64 %x.digits, %y.digits
  %apart = sub i64 %x.power, %y.power
  br label %more
more:
  %rest = phi i64 [ %first, %divide ], [ %next, %shift ]
  %left = phi i64 [ %apart, %divide ], [ %left.next, %shift ]
  %over = icmp eq i64 %left, 0
  br i1 %over, label %end, label %shift
shift:
  ; 53 digits and 11 more fill 64 bits.
  %by = call i64 @llvm.umin.i64(i64 %left, i64 11)
  %shifted = shl i64 %rest, %by
  %next = urem i64 %shifted, %y.digits
  %left.next = sub i64 %left, %by
  br label %more
end:
  %none = icmp eq i64 %rest, 0
  br i1 %none, label %zero, label %scale
zero:
  %zero.signed = bitcast i64 %sign to double
  ret double %zero.signed
scale:
  %above = call i64 @llvm.ctlz.i64(i64 %rest, i1 true)
  %up = sub i64 %above, 11
  %digits = shl i64 %rest, %up
  %power = sub i64 %y.power, %up
  %normal = icmp sgt i64 %power, 0
  br i1 %normal, label %whole, label %small
whole:
  %fraction = and i64 %digits, 4503599627370495
  %exponent = shl i64 %power, 52
  %size = or i64 %fraction, %exponent
  %whole.bits = or i64 %size, %sign
  %whole.result = bitcast i64 %whole.bits to double
  ret double %whole.result
small:
  %down = sub i64 1, %power
  %small.size = lshr i64 %digits, %down
  %small.bits = or i64 %small.size, %sign
  %small.result = bitcast i64 %small.bits to double
  ret double %small.result
}

; The 53 digits of a number and the power they count in, as its exponent field has it.
define internal { i64, i64 } @lanescope.remainder.parts(i64 %size) #0 {
entry:
  %exponent = lshr i64 %size, 52
  %fraction = and i64 %size, 4503599627370495
  %normal = icmp ne i64 %exponent, 0
  %whole = or i64 %fraction, 4503599627370496
  %above = call i64 @llvm.ctlz.i64(i64 %size, i1 false)
  %up.0 = sub i64 %above, 11
  %up = and i64 %up.0, 63
  %raised = shl i64 %size, %up
  %lowered = sub i64 1, %up
  %digits = select i1 %normal, i64 %whole, i64 %raised
  %power = select i1 %normal, i64 %exponent, i64 %lowered
  %0 = insertvalue { i64, i64 } poison, i64 %digits, 0
  %1 = insertvalue { i64, i64 } %0, i64 %power, 1
  ret { i64, i64 } %1
}
