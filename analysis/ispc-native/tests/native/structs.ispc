struct Point { float x, y; };
struct Inner { float a[3]; int<2> v; Point p; uniform int tag; };
struct Big { Inner of[2]; float * uniform to; bool on; };
enum Kind { A, B };
struct Mixed { Kind k; int8 b; double d; float<3> c; };
Point make(float x, float y) { Point p; p.x = x; p.y = y; return p; }
Point sum(Point a, Point b) { Point r = a; r.x += b.x; r.y += b.y; return r; }
uniform Point usum(uniform Point a, uniform Point b) { uniform Point r = { a.x + b.x, a.y + b.y }; return r; }
Inner inner(Inner i, float by) { i.a[1] += by; i.v.x += 1; i.p = sum(i.p, i.p); i.tag += 1; if (by > 2) return i; i.a[2] = 9; return i; }
Big big(Big b) { b.of[1] = inner(b.of[0], programIndex); b.on = !b.on; return b; }
Mixed mixed(Mixed m) { m.k = B; m.b += 1; m.d *= 2; m.c.z = m.c.x; return m; }
Point rec(Point p, uniform int n) { if (n == 0) return p; return rec(sum(p, p), n - 1); }
template <typename T> noinline T twice(T a) { return a; }
typedef Point (*Make)(float, float);
Point operator+(Point a, Point b) { return sum(a, b); }
task void run(uniform Point p, uniform float to[]) { to[taskIndex] = p.x + p.y; }
Point other(float x, float y) { return make(y, x); }
Point with_default(float x) { Point p = {1, 2}; p.x += x; return p; }
void by_ref(Point &p) { p.x = 77; }
struct Empty { };
Empty empty(Empty e) { return e; }
void f() {
  Point p = make(programIndex, 2), q = { 3, 4 };
  p = p + q; print("% %\n", p.x, p.y);
  print("% %\n", make(1, programIndex).y, sum(p, q).x);
  uniform Point u = { 1, 2 }; uniform Point w = usum(u, usum(u, u)); print("% %\n", w.x, w.y);
  Point s = sum(u, p); print("% %\n", s.x, s.y);
  Inner i; i.a[0] = 1; i.a[1] = 2; i.a[2] = 3; i.v.x = 5; i.v.y = 6; i.p = p; i.tag = 8;
  Inner j = inner(i, programIndex);
  print("% % % % % % %\n", j.a[0], j.a[1], j.a[2], j.v.x, j.v.y, j.p.x, j.tag);
  print("%\n", inner(i, 3).a[2]); print("%\n", inner(i, 3).v.y); print("%\n", inner(i, 3).p.y);
  print("%\n", inner(i, 3).a[programIndex % 3]);
  Big b; b.of[0] = i; b.on = programIndex > 1;
  Big c = big(b); print("% % %\n", c.of[1].a[1], c.on, c.of[1].p.x);
  Mixed m; m.k = A; m.b = 127; m.d = 1.5d; m.c.x = 3; m.c.y = 4; m.c.z = 5;
  Mixed n = mixed(m); print("% % % %\n", n.k == B, n.b, n.d, n.c.z);
  Point r = rec(q, 3); print("% %\n", r.x, r.y);
  Point t = twice(q); print("% %\n", t.x, t.y);
  Make how = make; if (programIndex & 1) how = other;
  Point h = how(1, 2); print("% %\n", h.x, h.y);
  Make uniform uh = other; h = uh(5, 6); print("% %\n", h.x, h.y);
  uniform float to[3]; launch[3] run(u, to); sync; print("% %\n", to[0], to[2]);
  Point ch = programIndex > 1 ? p : q; print("% %\n", ch.x, ch.y);
  Point d = with_default(5); print("% %\n", d.x, d.y);
  by_ref(p); print("%\n", p.x);
  if (programIndex == 2) { p = make(100, 200); } print("% %\n", p.x, p.y);
  uniform Point arr[4]; arr[0] = u; arr[1] = usum(arr[0], u); arr[2] = arr[1]; arr[3] = arr[2];
  Point got = arr[programIndex % 4]; print("% %\n", got.x, got.y);
  got = sum(arr[3 - programIndex % 4], got); print("% %\n", got.x, got.y);
  (p = q).x; print("%\n", (p = make(5, 6)).y);
  uniform Point * uniform np = uniform new uniform Point; *np = usum(u, u); print("%\n", np->x); delete np;
  Point * varying vp = new Point; delete vp; Empty e; Empty g = empty(e);
  cif (programIndex < 2) { Point k = make(1, programIndex); print("%\n", sum(k, k).y); }
  soa<4> Point so[2]; so[programIndex % 8] = make(programIndex, 1); Point fs = so[programIndex % 8]; print("%\n", fs.x);
  for (uniform int l = 0; l < 2; ++l) { q = sum(q, make(l, l)); } print("% %\n", q.x, q.y);
}
