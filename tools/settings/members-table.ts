import { branchesOf, saysOf, type Node } from '../../server/src/platform/config/shape.ts'

interface Row {
  path: string
  type: string
  unit: string
  absent: string
  about: string
}

/** Returns the members of a settings file as a Markdown table. */
export const membersTable = (shape: Node): string =>
  [
    '| member | type | unit | when absent | meaning |',
    '|---|---|---|---|---|',
    ...insideOf(shape, '').map(
      ({ path, type, unit, absent, about }) =>
        `| ${[`\`${path}\``, type, unit, absent, about].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
    ),
  ].join('\n')

/** Returns the rows of a member and of its nested members. */
const rowsOf = (shape: Node, path: string, isRequired: boolean): Row[] => {
  if (shape.not !== undefined) return []
  const own: Row = {
    path,
    type: typeOf(shape),
    unit: shape.unit ?? '',
    absent: absentOf(shape, isRequired),
    about: shape.description ?? '',
  }
  return [own, ...insideOf(shape, path)]
}

const insideOf = (shape: Node, path: string): Row[] => {
  const within = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const branches = branchesOf(shape)
  if (branches) return insideOfKinds(branches, path)
  if (shape.type === 'array') return isLeaf(shape.items!) ? [] : insideOf(shape.items!, `${path}[]`)
  const [free] = Object.values(shape.patternProperties ?? {})
  if (free) return isLeaf(free) ? rowsOf(free, within(shape.key!), true) : insideOf(free, within(shape.key!))
  const properties = Object.entries(shape.properties ?? {})
  if (shape.key !== undefined)
    return merged(properties.map(([name, inner]) => [name, insideOf(inner, within(shape.key!))]))
  return properties.flatMap(([name, inner]) => rowsOf(inner, within(name), shape.required?.includes(name) ?? false))
}

const isLeaf = (shape: Node): boolean => !branchesOf(shape) && shape.type !== 'object' && shape.type !== 'array'

const insideOfKinds = (branches: readonly Node[], path: string): Row[] => {
  const kinds = branches.map(({ properties }) => properties!['kind']!)
  const nameOf = ({ const: name }: Node): string => JSON.stringify(name)
  const kind: Row = {
    path: `${path}.kind`,
    type: kinds.map(nameOf).join(' or '),
    unit: '',
    absent: 'required',
    about: kinds.map((one) => `\`${nameOf(one)}\`: ${one.description}`).join('; '),
  }
  const rows = branches.map((branch, i): [string, Row[]] => {
    const { kind: _, ...properties } = branch.properties!
    return [`\`${nameOf(kinds[i]!)}\``, insideOf({ ...branch, properties }, path)]
  })
  return [kind, ...merged(rows)]
}

/** Merges the rows of variants into one list; where they differ, a row names its variants. */
const merged = (variants: readonly [label: string, rows: Row[]][]): Row[] => {
  const paths = [...new Set(inOrder(variants.map(([, rows]) => rows.map(({ path }) => path))))]
  return paths.map((path) => {
    const having = variants.flatMap(([label, rows]): [string, Row][] => {
      const row = rows.find((one) => one.path === path)
      return row ? [[label, row]] : []
    })
    const one = (name: keyof Row): string => byLabel(having.map(([label, row]) => [label, row[name]]))
    const isSame = having.every(([, { about }]) => about === having[0]![1].about)
    const only =
      having.length === variants.length || !isSame ? '' : `${having.map(([label]) => label).join(', ')} only: `
    return { path, type: one('type'), unit: one('unit'), absent: one('absent'), about: `${only}${one('about')}` }
  })
}

/** Returns members in the order of the variants. A member that only a later variant has follows its neighbour there. */
const inOrder = (lists: readonly (readonly string[])[]): string[] =>
  lists.reduce<string[]>((all, list) => {
    const result = [...all]
    let at = -1
    for (const path of list) {
      const found = result.indexOf(path)
      if (found >= 0) at = found
      else result.splice((at += 1), 0, path)
    }
    return result
  }, [])

const byLabel = (values: readonly (readonly [label: string, value: string])[]): string => {
  const different = [...new Set(values.map(([, value]) => value))]
  if (different.length === 1) return different[0]!
  return different
    .map((value) => {
      const labels = values.flatMap(([label, one]) => (one === value ? [label] : []))
      return `${labels.join(', ')}: ${value === '' ? 'none' : value}`
    })
    .join('; ')
}

const typeOf = (shape: Node): string => {
  if (branchesOf(shape)) return 'object'
  if (shape.type === 'object') return 'object'
  if (shape.type === 'array') return `${saysOf(shape)}${isLeaf(shape.items!) ? `: each ${saysOf(shape.items!)}` : ''}`
  if (Array.isArray(shape.type)) return `${saysOf(shape)}, as a number or as digits`
  return saysOf(shape)
}

const absentOf = (shape: Node, isRequired: boolean): string => {
  if (isRequired) return 'required'
  if (shape.absent !== undefined) return shape.absent
  return shape.default === undefined ? '' : `\`${JSON.stringify(shape.default)}\``
}
