"""Sliders to one picture: a figure of matplotlib, controls, a plain function, and a page that follows every move.

Nothing here knows what is drawn. `figure` joins `controls` and `drawing` (`lettering` draws what is text) to what a
page shows; `browser` is the page's own part, with `browser.js` and `browser.css`; `questions` are asked before the
controls may be moved; `stored` is the picture that a page keeps; `names` keeps a figure's names its own; `listing`
shows the source of a function; `palette` has the colours. Each room is imported by its name.
"""
