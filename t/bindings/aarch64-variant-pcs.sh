# DT_AARCH64_VARIANT_PCS: vector functions keep registers that lazy binding does not save.
[ "$(uname -m)" = aarch64 ] || skip 'another machine'
cat >x.c <<'E'
#include <arm_neon.h>
__attribute__((aarch64_vector_pcs)) float64x2_t twice(float64x2_t v) { return vaddq_f64(v, v); }
E
cat >m.c <<'E'
#include <arm_neon.h>
#include <stdio.h>
__attribute__((aarch64_vector_pcs)) float64x2_t twice(float64x2_t v);
int main(void)
{
    register float64x2_t kept __asm__("v20") = {3, 5};
    __asm__ volatile("" : "+w"(kept));
    float64x2_t doubled = twice((float64x2_t){1, 2});
    __asm__ volatile("" : "+w"(kept));
    printf("%g %g %g %g\n", doubled[0], doubled[1], kept[0], kept[1]);
    return 0;
}
E
lib libx.so x.c -O1
prog main m.c -O1 -lx -Wl,-z,lazy
readelf -dW main | grep -q VARIANT_PCS || skip 'the linker does not mark vector functions'
