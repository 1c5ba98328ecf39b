import { faultAt, lineAt, type Node, type Source, walk } from './source.ts'

/** The caps of the project. A file is usually a quarter of its cap, a function a sixth. */
export const caps = { fileLines: 400, functionLines: 60, nesting: 3, parameters: 3 }

/** Finds a file of any kind that is too long. */
export function checkFileLength(file: { readonly path: string; readonly text: string }): string[] {
  const lines = file.text.replace(/\n$/, '').split('\n').length
  return lines > caps.fileLines ? [`${file.path}:1 has ${lines} lines, more than ${caps.fileLines}`] : []
}

/** Finds functions that are too long, nest too deep or take too much. */
export function checkFunctions(source: Source): string[] {
  const faults: string[] = []
  walk(source.program, (node, around) => {
    if (isFunction(node)) {
      faults.push(...checkParameters(source, node))
      if (!isSuite(source, around.at(-1))) faults.push(...checkFunctionLength(source, node))
    }
    const depth = nestingOf(node, around)
    if (depth === caps.nesting + 1)
      faults.push(faultAt(source, node.start, `nests ${depth} deep, more than ${caps.nesting}`))
  })
  return faults
}

type FunctionNode = Extract<
  Node,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>

function isFunction(node: Node): node is FunctionNode {
  const { type } = node
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

function checkFunctionLength(source: Source, node: FunctionNode): string[] {
  const lines = lineAt(source, node.end) - lineAt(source, node.start) + 1
  if (lines <= caps.functionLines) return []
  return [faultAt(source, node.start, `is a function of ${lines} lines, more than ${caps.functionLines}`)]
}

function checkParameters(source: Source, node: FunctionNode): string[] {
  // A row of a table of cases has as many columns as it needs, and short builders of literals read better flat.
  if (source.path.endsWith('.test.ts')) return []
  // `this` is a type, not something to pass.
  const count = node.params.filter((param) => !(param.type === 'Identifier' && param.name === 'this')).length
  if (count <= caps.parameters) return []
  return [
    faultAt(
      source,
      node.start,
      `takes ${count} parameters, more than ${caps.parameters}: give it one object`,
    ),
  ]
}

// The function given to describe, or to one of our own like describeDrivers, is a heading with its chapter, not a piece of work.
function isSuite(source: Source, caller: Node | undefined): boolean {
  if (caller?.type !== 'CallExpression' || !source.path.endsWith('.test.ts')) return false
  return /^describe/.test(source.text.slice(caller.callee.start, caller.callee.end))
}

const nesting = new Set<Node['type']>([
  'IfStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'SwitchStatement',
  'TryStatement',
])

/** How many statements with a body of their own a statement is in, itself included, up to the nearest function. */
function nestingOf(node: Node, around: readonly Node[]): number {
  if (!nests(node, around.at(-1))) return 0
  const start = around.findLastIndex(isFunction) + 1
  return 1 + around.slice(start).filter((outer, at, all) => nests(outer, all[at - 1])).length
}

// `else if` reads as one list of cases.
function nests(node: Node, parent: Node | undefined): boolean {
  const isElse = node.type === 'IfStatement' && parent?.type === 'IfStatement' && parent.alternate === node
  return nesting.has(node.type) && !isElse
}
