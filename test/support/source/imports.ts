import { posix } from 'node:path'
import { listNodes, type Node, type Source } from './source.ts'

/** One import, re-export, `import()`, `require()` or imported type. */
export interface Import {
  /** As written; undefined if computed. */
  readonly specifier: string | undefined
  readonly offset: number
}

/** All imports of a file, in order. */
export function listImports(source: Source): Import[] {
  return listNodes(source).flatMap((node) => {
    const request = findRequest(node)
    if (request === undefined) return []
    const specifier =
      request.type === 'Literal' && typeof request.value === 'string' ? request.value : undefined
    return [{ specifier, offset: request.start }]
  })
}

function findRequest(node: Node): Node | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node.source
    case 'ExportNamedDeclaration':
      return node.source ?? undefined
    case 'CallExpression':
      return node.callee.type === 'Identifier' && node.callee.name === 'require'
        ? node.arguments[0]
        : undefined
    default:
      return undefined
  }
}

/** Resolves a relative specifier to a path from the root; undefined for packages. */
export function resolveRelative(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined
}

/** The name of the package of a specifier: `pg` of `pg`, `@a/b` of `@a/b/c`, `node:fs` of `fs/promises`. */
export function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}
