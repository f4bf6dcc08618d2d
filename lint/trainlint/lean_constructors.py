# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

# Written by docs/generate.py from lean_shapes.py.
# fmt: off
# mypy: ignore-errors

"""Constructors of so many fields, which `lean.py` gives the names and defaults of a class."""

set = object.__setattr__
MADE = {}

def make(after):
 def __init__(self): pass
 return __init__
MADE[0, False, False] = make
def make(after):
 def __init__(self): after(self)
 return __init__
MADE[0, False, True] = make
def make(after):
 def __init__(self): pass
 return __init__
MADE[0, True, False] = make
def make(after):
 def __init__(self): after(self)
 return __init__
MADE[0, True, True] = make
def make(after, p0):
 def __init__(self, f0): set(self, p0, f0)
 return __init__
MADE[1, False, False] = make
def make(after, p0):
 def __init__(self, f0): set(self, p0, f0); after(self)
 return __init__
MADE[1, False, True] = make
def make(after, p0):
 def __init__(self, f0): p0(self, f0)
 return __init__
MADE[1, True, False] = make
def make(after, p0):
 def __init__(self, f0): p0(self, f0); after(self)
 return __init__
MADE[1, True, True] = make
def make(after, p0, p1):
 def __init__(self, f0, f1): set(self, p0, f0); set(self, p1, f1)
 return __init__
MADE[2, False, False] = make
def make(after, p0, p1):
 def __init__(self, f0, f1): set(self, p0, f0); set(self, p1, f1); after(self)
 return __init__
MADE[2, False, True] = make
def make(after, p0, p1):
 def __init__(self, f0, f1): p0(self, f0); p1(self, f1)
 return __init__
MADE[2, True, False] = make
def make(after, p0, p1):
 def __init__(self, f0, f1): p0(self, f0); p1(self, f1); after(self)
 return __init__
MADE[2, True, True] = make
def make(after, p0, p1, p2):
 def __init__(self, f0, f1, f2): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2)
 return __init__
MADE[3, False, False] = make
def make(after, p0, p1, p2):
 def __init__(self, f0, f1, f2): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); after(self)
 return __init__
MADE[3, False, True] = make
def make(after, p0, p1, p2):
 def __init__(self, f0, f1, f2): p0(self, f0); p1(self, f1); p2(self, f2)
 return __init__
MADE[3, True, False] = make
def make(after, p0, p1, p2):
 def __init__(self, f0, f1, f2): p0(self, f0); p1(self, f1); p2(self, f2); after(self)
 return __init__
MADE[3, True, True] = make
def make(after, p0, p1, p2, p3):
 def __init__(self, f0, f1, f2, f3): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3)
 return __init__
MADE[4, False, False] = make
def make(after, p0, p1, p2, p3):
 def __init__(self, f0, f1, f2, f3): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); after(self)
 return __init__
MADE[4, False, True] = make
def make(after, p0, p1, p2, p3):
 def __init__(self, f0, f1, f2, f3): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3)
 return __init__
MADE[4, True, False] = make
def make(after, p0, p1, p2, p3):
 def __init__(self, f0, f1, f2, f3): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); after(self)
 return __init__
MADE[4, True, True] = make
def make(after, p0, p1, p2, p3, p4):
 def __init__(self, f0, f1, f2, f3, f4): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4)
 return __init__
MADE[5, False, False] = make
def make(after, p0, p1, p2, p3, p4):
 def __init__(self, f0, f1, f2, f3, f4): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); after(self)
 return __init__
MADE[5, False, True] = make
def make(after, p0, p1, p2, p3, p4):
 def __init__(self, f0, f1, f2, f3, f4): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4)
 return __init__
MADE[5, True, False] = make
def make(after, p0, p1, p2, p3, p4):
 def __init__(self, f0, f1, f2, f3, f4): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); after(self)
 return __init__
MADE[5, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5):
 def __init__(self, f0, f1, f2, f3, f4, f5): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5)
 return __init__
MADE[6, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5):
 def __init__(self, f0, f1, f2, f3, f4, f5): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); after(self)
 return __init__
MADE[6, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5):
 def __init__(self, f0, f1, f2, f3, f4, f5): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5)
 return __init__
MADE[6, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5):
 def __init__(self, f0, f1, f2, f3, f4, f5): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); after(self)
 return __init__
MADE[6, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6)
 return __init__
MADE[7, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); after(self)
 return __init__
MADE[7, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6)
 return __init__
MADE[7, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); after(self)
 return __init__
MADE[7, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7)
 return __init__
MADE[8, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); after(self)
 return __init__
MADE[8, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7)
 return __init__
MADE[8, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); after(self)
 return __init__
MADE[8, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8)
 return __init__
MADE[9, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); after(self)
 return __init__
MADE[9, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8)
 return __init__
MADE[9, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); after(self)
 return __init__
MADE[9, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9)
 return __init__
MADE[10, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); after(self)
 return __init__
MADE[10, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9)
 return __init__
MADE[10, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); after(self)
 return __init__
MADE[10, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10)
 return __init__
MADE[11, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); after(self)
 return __init__
MADE[11, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10)
 return __init__
MADE[11, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); after(self)
 return __init__
MADE[11, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11)
 return __init__
MADE[12, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); after(self)
 return __init__
MADE[12, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11)
 return __init__
MADE[12, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); after(self)
 return __init__
MADE[12, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12)
 return __init__
MADE[13, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); after(self)
 return __init__
MADE[13, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12)
 return __init__
MADE[13, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); after(self)
 return __init__
MADE[13, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13)
 return __init__
MADE[14, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); after(self)
 return __init__
MADE[14, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13)
 return __init__
MADE[14, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); after(self)
 return __init__
MADE[14, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14)
 return __init__
MADE[15, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); after(self)
 return __init__
MADE[15, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14)
 return __init__
MADE[15, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); after(self)
 return __init__
MADE[15, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15)
 return __init__
MADE[16, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); after(self)
 return __init__
MADE[16, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15)
 return __init__
MADE[16, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); after(self)
 return __init__
MADE[16, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16)
 return __init__
MADE[17, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); after(self)
 return __init__
MADE[17, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16)
 return __init__
MADE[17, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); after(self)
 return __init__
MADE[17, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17)
 return __init__
MADE[18, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); after(self)
 return __init__
MADE[18, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17)
 return __init__
MADE[18, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); after(self)
 return __init__
MADE[18, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18)
 return __init__
MADE[19, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); after(self)
 return __init__
MADE[19, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18)
 return __init__
MADE[19, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); after(self)
 return __init__
MADE[19, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19)
 return __init__
MADE[20, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); after(self)
 return __init__
MADE[20, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19)
 return __init__
MADE[20, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); after(self)
 return __init__
MADE[20, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20)
 return __init__
MADE[21, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); after(self)
 return __init__
MADE[21, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20)
 return __init__
MADE[21, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); after(self)
 return __init__
MADE[21, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21)
 return __init__
MADE[22, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); after(self)
 return __init__
MADE[22, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21)
 return __init__
MADE[22, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); after(self)
 return __init__
MADE[22, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22)
 return __init__
MADE[23, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); after(self)
 return __init__
MADE[23, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22)
 return __init__
MADE[23, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); after(self)
 return __init__
MADE[23, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23)
 return __init__
MADE[24, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); after(self)
 return __init__
MADE[24, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23)
 return __init__
MADE[24, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); after(self)
 return __init__
MADE[24, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24)
 return __init__
MADE[25, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); after(self)
 return __init__
MADE[25, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24)
 return __init__
MADE[25, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); after(self)
 return __init__
MADE[25, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25)
 return __init__
MADE[26, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); after(self)
 return __init__
MADE[26, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25)
 return __init__
MADE[26, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); after(self)
 return __init__
MADE[26, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26)
 return __init__
MADE[27, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); after(self)
 return __init__
MADE[27, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26)
 return __init__
MADE[27, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); after(self)
 return __init__
MADE[27, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27)
 return __init__
MADE[28, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); after(self)
 return __init__
MADE[28, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27)
 return __init__
MADE[28, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); after(self)
 return __init__
MADE[28, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28)
 return __init__
MADE[29, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); after(self)
 return __init__
MADE[29, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28)
 return __init__
MADE[29, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); after(self)
 return __init__
MADE[29, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29)
 return __init__
MADE[30, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); after(self)
 return __init__
MADE[30, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29)
 return __init__
MADE[30, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); after(self)
 return __init__
MADE[30, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); set(self, p30, f30)
 return __init__
MADE[31, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); set(self, p30, f30); after(self)
 return __init__
MADE[31, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); p30(self, f30)
 return __init__
MADE[31, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); p30(self, f30); after(self)
 return __init__
MADE[31, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); set(self, p30, f30); set(self, p31, f31)
 return __init__
MADE[32, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); set(self, p30, f30); set(self, p31, f31); after(self)
 return __init__
MADE[32, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); p30(self, f30); p31(self, f31)
 return __init__
MADE[32, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); p30(self, f30); p31(self, f31); after(self)
 return __init__
MADE[32, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); set(self, p30, f30); set(self, p31, f31); set(self, p32, f32)
 return __init__
MADE[33, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); set(self, p30, f30); set(self, p31, f31); set(self, p32, f32); after(self)
 return __init__
MADE[33, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); p30(self, f30); p31(self, f31); p32(self, f32)
 return __init__
MADE[33, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); p30(self, f30); p31(self, f31); p32(self, f32); after(self)
 return __init__
MADE[33, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); set(self, p30, f30); set(self, p31, f31); set(self, p32, f32); set(self, p33, f33)
 return __init__
MADE[34, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); set(self, p30, f30); set(self, p31, f31); set(self, p32, f32); set(self, p33, f33); after(self)
 return __init__
MADE[34, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); p30(self, f30); p31(self, f31); p32(self, f32); p33(self, f33)
 return __init__
MADE[34, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); p30(self, f30); p31(self, f31); p32(self, f32); p33(self, f33); after(self)
 return __init__
MADE[34, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33, p34):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); set(self, p30, f30); set(self, p31, f31); set(self, p32, f32); set(self, p33, f33); set(self, p34, f34)
 return __init__
MADE[35, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33, p34):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); set(self, p30, f30); set(self, p31, f31); set(self, p32, f32); set(self, p33, f33); set(self, p34, f34); after(self)
 return __init__
MADE[35, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33, p34):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); p30(self, f30); p31(self, f31); p32(self, f32); p33(self, f33); p34(self, f34)
 return __init__
MADE[35, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33, p34):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); p30(self, f30); p31(self, f31); p32(self, f32); p33(self, f33); p34(self, f34); after(self)
 return __init__
MADE[35, True, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33, p34, p35):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); set(self, p30, f30); set(self, p31, f31); set(self, p32, f32); set(self, p33, f33); set(self, p34, f34); set(self, p35, f35)
 return __init__
MADE[36, False, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33, p34, p35):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35): set(self, p0, f0); set(self, p1, f1); set(self, p2, f2); set(self, p3, f3); set(self, p4, f4); set(self, p5, f5); set(self, p6, f6); set(self, p7, f7); set(self, p8, f8); set(self, p9, f9); set(self, p10, f10); set(self, p11, f11); set(self, p12, f12); set(self, p13, f13); set(self, p14, f14); set(self, p15, f15); set(self, p16, f16); set(self, p17, f17); set(self, p18, f18); set(self, p19, f19); set(self, p20, f20); set(self, p21, f21); set(self, p22, f22); set(self, p23, f23); set(self, p24, f24); set(self, p25, f25); set(self, p26, f26); set(self, p27, f27); set(self, p28, f28); set(self, p29, f29); set(self, p30, f30); set(self, p31, f31); set(self, p32, f32); set(self, p33, f33); set(self, p34, f34); set(self, p35, f35); after(self)
 return __init__
MADE[36, False, True] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33, p34, p35):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); p30(self, f30); p31(self, f31); p32(self, f32); p33(self, f33); p34(self, f34); p35(self, f35)
 return __init__
MADE[36, True, False] = make
def make(after, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33, p34, p35):
 def __init__(self, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35): p0(self, f0); p1(self, f1); p2(self, f2); p3(self, f3); p4(self, f4); p5(self, f5); p6(self, f6); p7(self, f7); p8(self, f8); p9(self, f9); p10(self, f10); p11(self, f11); p12(self, f12); p13(self, f13); p14(self, f14); p15(self, f15); p16(self, f16); p17(self, f17); p18(self, f18); p19(self, f19); p20(self, f20); p21(self, f21); p22(self, f22); p23(self, f23); p24(self, f24); p25(self, f25); p26(self, f26); p27(self, f27); p28(self, f28); p29(self, f29); p30(self, f30); p31(self, f31); p32(self, f32); p33(self, f33); p34(self, f34); p35(self, f35); after(self)
 return __init__
MADE[36, True, True] = make
