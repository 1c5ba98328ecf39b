import { type Comment, type Node, type Program, parseSync } from 'oxc-parser'

export type { Node } from 'oxc-parser'

/** A parsed source file. */
export interface Source {
  /** Path from the root of the repository, with slashes. */
  readonly path: string
  readonly text: string
  readonly program: Program
  readonly comments: readonly Comment[]
}

/** Parses code. Throws on syntax errors: checks of a partly parsed file would pass. */
export function parseSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text)
  const [error] = errors
  if (error !== undefined) throw new Error(`${path}: ${error.message}`)
  return { path, text, program, comments }
}

/** Returns the 1-based line of an offset. */
export function lineAt({ text }: Pick<Source, 'text'>, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

/** Formats a finding at an offset of a file. */
export function faultAt(source: Pick<Source, 'path' | 'text'>, offset: number, message: string): string {
  return `${source.path}:${lineAt(source, offset)} ${message}`
}

/** Calls `visit` for every node in preorder, with its ancestors, outermost first. */
export function walk(root: Node, visit: (node: Node, ancestors: readonly Node[]) => void): void {
  const ancestors: Node[] = []
  const enter = (node: Node) => {
    visit(node, ancestors)
    ancestors.push(node)
    for (const value of Object.values(node)) {
      if (isNode(value)) enter(value)
      else if (Array.isArray(value)) value.filter(isNode).forEach(enter)
    }
    ancestors.pop()
  }
  enter(root)
}

/** Lists all nodes of a file. */
export function listNodes(source: Source): Node[] {
  const nodes: Node[] = []
  walk(source.program, (node) => nodes.push(node))
  return nodes
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
