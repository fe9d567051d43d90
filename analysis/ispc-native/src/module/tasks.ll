
define internal ptr @ISPCAlloc(ptr %handle, i64 %size, i32 %align) nounwind {
  %more = add i64 %size, 64
  %memory = call ptr @malloc(i64 %more)
  %number = ptrtoint ptr %memory to i64
  %behind = add i64 %number, 63
  %aligned = and i64 %behind, -64
  %found = inttoptr i64 %aligned to ptr
  ret ptr %found
}

define internal void @ISPCSync(ptr %handle) nounwind {
  ret void
}

define internal void @ISPCLaunch(ptr %handle, ptr %task, ptr %data, i32 %x, i32 %y, i32 %z) nounwind {
entry:
  %xy = mul i32 %x, %y
  %count = mul i32 %xy, %z
  br label %test

test:
  %index = phi i32 [ 0, %entry ], [ %next, %run ]
  %more = icmp ult i32 %index, %count
  br i1 %more, label %run, label %done

run:
  %at.x = urem i32 %index, %x
  %row = udiv i32 %index, %x
  %at.y = urem i32 %row, %y
  %at.z = udiv i32 %row, %y
  call void %task(ptr %data, i32 0, i32 1, i32 %index, i32 %count, i32 %at.x, i32 %at.y, i32 %at.z, i32 %x, i32 %y, i32 %z)
  %next = add i32 %index, 1
  br label %test

done:
  ret void
}
