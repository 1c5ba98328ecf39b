import { type Comment, type Node, type Program, parseSync } from 'oxc-parser'

export type { Node } from 'oxc-parser'

/** A file of code, parsed. */
export interface Source {
  /** From the root of the repository, with slashes. */
  readonly path: string
  readonly text: string
  readonly program: Program
  readonly comments: readonly Comment[]
}

/** Reads code. Syntax errors throw: the checks of a half-read file would pass. */
export function parseSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text)
  const [error] = errors
  if (error !== undefined) throw new Error(`${path}: ${error.message}`)
  return { path, text, program, comments }
}

/** The 1-based line of an offset. */
export function lineAt(source: Pick<Source, 'text'>, offset: number): number {
  return source.text.slice(0, offset).split('\n').length
}

/** What a check says of a place in a file. */
export function faultAt(source: Pick<Source, 'path' | 'text'>, offset: number, message: string): string {
  return `${source.path}:${lineAt(source, offset)} ${message}`
}

/** Calls `visit` for every node, outer before inner, with the nodes around it, outermost first. */
export function walk(root: Node, visit: (node: Node, around: readonly Node[]) => void): void {
  const around: Node[] = []
  const enter = (node: Node) => {
    visit(node, around)
    around.push(node)
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) enter(child)
    }
    around.pop()
  }
  enter(root)
}

/** Every node of a file. */
export function listNodes(source: Source): Node[] {
  const nodes: Node[] = []
  walk(source.program, (node) => nodes.push(node))
  return nodes
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
