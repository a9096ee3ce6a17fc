"""What is a person's own among pasted lines."""

from __future__ import annotations

import pytest

from kit.perceive.spoken import spoken


@pytest.mark.parametrize(
    ("prompt", "own"),
    [
        ("$ make\nmake: *** No targets specified and no makefile found.  Stop.", ""),
        ("$ df -h /\n文件系统        大小  已用  可用\n/dev/sda1       100G   60G   40G", ""),
        ("$ pwd\n/home/me/tmp\nwhy am I here?", "why am I here?"),
        ("$ make\nmake: 没有目标\n\n请帮我看看这是怎么回事", "请帮我看看这是怎么回事"),
        ("bash: fooo: command not found", ""),
        ("main.c:4:2: 错误：‘y’未声明（在此函数内第一次使用）", ""),
        ("def 阶乘(n):\n    return 1 if n == 0 else n * 阶乘(n - 1)", ""),
        ("Look at these:\n- the hedge\n- the pond", "Look at these:\n- the hedge\n- the pond"),
    ],
)
def test_what_a_shell_or_a_compiler_printed_is_no_persons_word(prompt: str, own: str) -> None:
    assert spoken(prompt) == own
