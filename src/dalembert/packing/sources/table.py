def _look_up(table, s):
    """A table of the model: polynomials between nodes, values beyond them."""
    nodes, pieces, before, behind, last = table
    s = np.asarray(s, dtype=float)
    piece = np.clip(np.searchsorted(nodes, s, side="right") - 1, 0, len(pieces) - 1)
    h = s - nodes[piece]
    value = pieces[piece, -1]
    for k in range(pieces.shape[1] - 2, -1, -1):
        value = pieces[piece, k] + h * value
    value = np.where(s < nodes[0], before, np.where(s > nodes[-1], behind, value))
    return np.where(np.isnan(s), s, np.where(s == nodes[-1], last, value))


