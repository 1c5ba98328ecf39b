import { faultAt, type Node, type Source } from './source.ts'

/** Files whose tools insist on a default export. */
const toolFiles = ['vitest.config.ts']

/** The one file that may gather the exports of others: what the package gives to programs. */
const packageDoor = 'src/index.ts'

/** Finds default exports. */
export function checkDefaultExports(source: Source): string[] {
  if (toolFiles.includes(source.path)) return []
  return source.program.body.flatMap((node) => {
    const isDefault =
      node.type === 'ExportDefaultDeclaration' ||
      (node.type === 'ExportNamedDeclaration' &&
        node.specifiers.some(({ exported }) => exported.type === 'Identifier' && exported.name === 'default'))
    return isDefault ? [faultAt(source, node.start, 'exports a default: give it a name')] : []
  })
}

/** Finds files that only pass on what others export, and `export *` anywhere. */
export function checkBarrels(source: Source): string[] {
  if (source.path === packageDoor) return []
  const { body } = source.program
  const stars = body.filter((node) => node.type === 'ExportAllDeclaration')
  if (stars.length > 0)
    return stars.map((node) => faultAt(source, node.start, 'exports *: import from the file itself'))
  const passing = body.filter((node) => node.type === 'ExportNamedDeclaration' && node.source !== null)
  const isBarrel =
    passing.length > 0 && body.every((node) => passing.includes(node) || node.type === 'ImportDeclaration')
  return isBarrel ? [`${source.path}:1 is a barrel: import from the files themselves`] : []
}

/** Finds exports without a docstring. What is passed on has its own where it is declared. */
export function checkDocstrings(source: Source): string[] {
  const local = new Map(
    source.program.body.flatMap((node) => declaredNames(node).map((name) => [name, node] as const)),
  )
  const seen = new Set<string>()
  return source.program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' || node.source !== null) return []
    const names = [...declaredNames(node), ...node.specifiers.map((specifier) => nameOf(specifier.local))]
    return names.flatMap((name) => {
      // The further signatures of an overloaded function share the docstring of the first.
      const isKnown = seen.has(name)
      seen.add(name)
      const declaration = local.get(name)
      const hasOne =
        isKnown || hasDocstring(source, node) || (declaration && hasDocstring(source, declaration))
      return hasOne ? [] : [faultAt(source, node.start, `exports ${name} without a docstring`)]
    })
  })
}

function hasDocstring(source: Source, node: Node): boolean {
  return source.comments.some(
    ({ type, value, end }) =>
      type === 'Block' &&
      value.startsWith('*') &&
      end <= node.start &&
      source.text.slice(end, node.start).trim() === '',
  )
}

function declaredNames(node: Node): string[] {
  const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : node
  if (declaration === null) return []
  if (declaration.type === 'VariableDeclaration') return declaration.declarations.map(({ id }) => nameOf(id))
  return 'id' in declaration && declaration.id ? [nameOf(declaration.id)] : []
}

function nameOf(node: Node): string {
  return node.type === 'Identifier' ? node.name : String(node.type)
}
