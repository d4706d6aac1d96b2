/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes the place of C++'s std::random_device while scripts/bench measures (LD_PRELOAD, see steady.py).
   Blender draws a number from it at each change of a node tree, and the C++ library executes CPUID before each: 0.1 us on bare
   metal, 20 us and more in a virtual machine. That would be in both sides of a ratio, but not as often. */

static unsigned drawn;

void init(void *self, const void *token)
    __asm__("_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
void fini(void *self) __asm__("_ZNSt13random_device7_M_finiEv");
unsigned draw(void *self) __asm__("_ZNSt13random_device9_M_getvalEv");

void init(void *self, const void *token) { (void)self, (void)token; }
void fini(void *self) { (void)self; }
unsigned draw(void *self) {
    (void)self;
    return __atomic_add_fetch(&drawn, 1, __ATOMIC_RELAXED) * 2654435761u; /* all different for 2^32 draws */
}
