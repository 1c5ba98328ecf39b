import { faultAt, type Node, type Source } from './source.ts'

/** Files whose tools require a default export. */
const toolFiles = ['vitest.config.ts']

/** The entry points of the package, the only files that may re-export. */
const packageEntries = ['src/index.ts', 'src/pulumi/index.ts', 'src/pulumi/testing.ts']

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

/** Finds files that only re-export, and `export *` anywhere. */
export function checkBarrels(source: Source): string[] {
  if (packageEntries.includes(source.path)) return []
  const { body } = source.program
  const stars = body.filter((node) => node.type === 'ExportAllDeclaration')
  if (stars.length > 0)
    return stars.map((node) => faultAt(source, node.start, 'exports *: import from the file itself'))
  const reexports = body.filter((node) => node.type === 'ExportNamedDeclaration' && node.source !== null)
  const isBarrel =
    reexports.length > 0 &&
    body.every((node) => reexports.includes(node) || node.type === 'ImportDeclaration')
  return isBarrel ? [`${source.path}:1 is a barrel: import from the files themselves`] : []
}

/** Finds exports without a docstring. Re-exports are documented at their declaration. */
export function checkDocstrings(source: Source): string[] {
  const local = new Map(
    source.program.body.flatMap((node) => declaredNames(node).map((name) => [name, node] as const)),
  )
  const reported = new Set<string>()
  return source.program.body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' || node.source !== null) return []
    const names = [...declaredNames(node), ...node.specifiers.map((specifier) => nameOf(specifier.local))]
    return names.flatMap((name) => {
      // All signatures of an overloaded function share the docstring of the first.
      const isOverload = reported.has(name)
      reported.add(name)
      const declaration = local.get(name)
      const isDocumented =
        isOverload || hasDocstring(source, node) || (declaration && hasDocstring(source, declaration))
      return isDocumented ? [] : [faultAt(source, node.start, `exports ${name} without a docstring`)]
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
