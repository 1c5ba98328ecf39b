import { faultAt, lineAt, type Node, type Source, walk } from './source.ts'

/** Size limits. A file is usually a quarter of its limit, a function a sixth. */
export const caps = { fileLines: 400, functionLines: 60, nesting: 3, parameters: 3 }

/** Reports a file of any type that is too long. */
export function checkFileLength(file: { readonly path: string; readonly text: string }): string[] {
  const lines = file.text.replace(/\n$/, '').split('\n').length
  return lines > caps.fileLines ? [`${file.path}:1 has ${lines} lines, more than ${caps.fileLines}`] : []
}

/** Finds functions that are too long, nested too deeply or have too many parameters. */
export function checkFunctions(source: Source): string[] {
  const faults: string[] = []
  walk(source.program, (node, ancestors) => {
    if (isFunction(node)) {
      faults.push(...checkParameters(source, node))
      if (!isSuite(source, ancestors.at(-1))) faults.push(...checkFunctionLength(source, node))
    }
    const depth = nestingOf(node, ancestors)
    if (depth === caps.nesting + 1)
      faults.push(faultAt(source, node.start, `nests ${depth} levels deep, more than ${caps.nesting}`))
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
  // Exempt: table-driven tests need a parameter for each column, and short builders of literals read better flat.
  if (source.path.endsWith('.test.ts')) return []
  // A `this` parameter is only a type.
  const count = node.params.filter((param) => !(param.type === 'Identifier' && param.name === 'this')).length
  if (count <= caps.parameters) return []
  return [
    faultAt(
      source,
      node.start,
      `has ${count} parameters, more than ${caps.parameters}: use an options object`,
    ),
  ]
}

// The callback of describe, or of a wrapper such as describeDrivers, is a group of tests.
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

/** Number of nested control statements around a statement, itself included, within the nearest function. */
function nestingOf(node: Node, ancestors: readonly Node[]): number {
  if (!nests(node, ancestors.at(-1))) return 0
  const start = ancestors.findLastIndex(isFunction) + 1
  return 1 + ancestors.slice(start).filter((outer, at, all) => nests(outer, all[at - 1])).length
}

// A chain of `else if` counts as one level.
function nests(node: Node, parent: Node | undefined): boolean {
  const isElse = node.type === 'IfStatement' && parent?.type === 'IfStatement' && parent.alternate === node
  return nesting.has(node.type) && !isElse
}
