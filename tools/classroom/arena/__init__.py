"""The arena: everybody's mechanism meets everybody's attack, `python -m tools.classroom.arena count --entries folder`.

`arenas` reads an arena's source, `entries` what was handed in, `matches` plays one mechanism against one attack, `play`
all of them, `standings` says who won, `board` and `rendering` show it, `handout` is the notebook that students fill in.
"""
