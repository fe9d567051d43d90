
; What LLVM calls for integers of 128 bits where a target has no instructions for them. A library that is linked, too, may
; have them as well.

define weak_odr hidden i128 @__multi3(i128 %a, i128 %b) noinline optnone nounwind {
  %a.low = trunc i128 %a to i64
  %b.low = trunc i128 %b to i64
  %a.upper = lshr i128 %a, 64
  %b.upper = lshr i128 %b, 64
  %a.high = trunc i128 %a.upper to i64
  %b.high = trunc i128 %b.upper to i64
  %a0 = and i64 %a.low, 4294967295
  %b0 = and i64 %b.low, 4294967295
  %a1 = lshr i64 %a.low, 32
  %b1 = lshr i64 %b.low, 32
  %p00 = mul i64 %a0, %b0
  %p10 = mul i64 %a1, %b0
  %p01 = mul i64 %a0, %b1
  %p11 = mul i64 %a1, %b1
  %carried = lshr i64 %p00, 32
  %left = add i64 %p10, %carried
  %left.low = and i64 %left, 4294967295
  %left.high = lshr i64 %left, 32
  %right = add i64 %p01, %left.low
  %right.high = lshr i64 %right, 32
  %upper0 = add i64 %p11, %left.high
  %upper1 = add i64 %upper0, %right.high
  %low = mul i64 %a.low, %b.low
  %cross0 = mul i64 %a.low, %b.high
  %cross1 = mul i64 %a.high, %b.low
  %upper2 = add i64 %upper1, %cross0
  %upper = add i64 %upper2, %cross1
  %low.wide = zext i64 %low to i128
  %upper.wide = zext i64 %upper to i128
  %placed = shl i128 %upper.wide, 64
  %result = or i128 %placed, %low.wide
  ret i128 %result
}

define weak_odr hidden i128 @__ashlti3(i128 %a, i32 %by) noinline optnone nounwind {
  %low = trunc i128 %a to i64
  %upper = lshr i128 %a, 64
  %high = trunc i128 %upper to i64
  %by.64 = zext i32 %by to i64
  %within = and i64 %by.64, 63
  %back = xor i64 %within, 63
  %low.shifted = shl i64 %low, %within
  %high.shifted = shl i64 %high, %within
  ; In two steps, since nothing is shifted by 64 bits.
  %over.half = lshr i64 %low, 1
  %over = lshr i64 %over.half, %back
  %high.joined = or i64 %high.shifted, %over
  %whole = and i64 %by.64, 64
  %is.far = icmp ne i64 %whole, 0
  %new.low = select i1 %is.far, i64 0, i64 %low.shifted
  %new.high = select i1 %is.far, i64 %low.shifted, i64 %high.joined
  %low.wide = zext i64 %new.low to i128
  %high.wide = zext i64 %new.high to i128
  %placed = shl i128 %high.wide, 64
  %result = or i128 %placed, %low.wide
  ret i128 %result
}

define weak_odr hidden i128 @__lshrti3(i128 %a, i32 %by) noinline optnone nounwind {
  %low = trunc i128 %a to i64
  %upper = lshr i128 %a, 64
  %high = trunc i128 %upper to i64
  %by.64 = zext i32 %by to i64
  %within = and i64 %by.64, 63
  %back = xor i64 %within, 63
  %low.shifted = lshr i64 %low, %within
  %high.shifted = lshr i64 %high, %within
  %over.half = shl i64 %high, 1
  %over = shl i64 %over.half, %back
  %low.joined = or i64 %low.shifted, %over
  %whole = and i64 %by.64, 64
  %is.far = icmp ne i64 %whole, 0
  %new.low = select i1 %is.far, i64 %high.shifted, i64 %low.joined
  %new.high = select i1 %is.far, i64 0, i64 %high.shifted
  %low.wide = zext i64 %new.low to i128
  %high.wide = zext i64 %new.high to i128
  %placed = shl i128 %high.wide, 64
  %result = or i128 %placed, %low.wide
  ret i128 %result
}
