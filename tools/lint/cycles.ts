/**
 * Returns the nodes of the first cycle of a directed graph, or undefined. It is iterative, so that depth has no limit.
 */
export const findCycle = (edges: ReadonlyMap<string, Iterable<string>>): string[] | undefined => {
  const done = new Set<string>()
  for (const start of edges.keys()) {
    if (done.has(start)) continue
    const path: string[] = []
    const onPath = new Set<string>()
    const stack: { node: string; next: Iterator<string> }[] = []
    const enter = (node: string): void => {
      path.push(node)
      onPath.add(node)
      stack.push({ node, next: (edges.get(node) ?? [])[Symbol.iterator]() })
    }
    enter(start)
    while (stack.length > 0) {
      const top = stack.at(-1)!
      const { value, done: ended } = top.next.next()
      if (ended) {
        stack.pop()
        path.pop()
        onPath.delete(top.node)
        done.add(top.node)
      } else if (onPath.has(value)) return [...path.slice(path.indexOf(value)), value]
      else if (!done.has(value)) enter(value)
    }
  }
  return undefined
}
