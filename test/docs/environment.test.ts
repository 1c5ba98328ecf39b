import { expect, test } from 'vitest'
import { listVariables } from '../../scripts/docs/environment.ts'
import { listNodes, type Node } from '../support/source/source.ts'
import { readSources } from '../support/source/tracked.ts'

test('the reference lists every environment variable that the program reads', () => {
  const sources = readSources().filter(({ path }) => /^src\/(cli|provider|server)\//.test(path))
  const read = sources.flatMap((source) => listNodes(source).flatMap(variableOf))
  // Proxies are read by names in lower and upper case.
  const found = new Set([...read, 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'])
  expect([...found].sort()).toEqual([...listVariables()].sort())
})

/** The variable that a name or a string stands for: `LANDFORM_DATA`, or `CI` of `env.CI`. */
function variableOf(node: Node): string[] {
  const text = node.type === 'Identifier' ? node.name : node.type === 'Literal' ? String(node.value) : ''
  if (/^LANDFORM_[A-Z_]+$/.test(text)) return [text]
  if (node.type !== 'MemberExpression' || node.property.type !== 'Identifier') return []
  const { object, property } = node
  const isEnvironment = object.type === 'Identifier' && object.name === 'env'
  return isEnvironment && /^[A-Z][A-Z_]+$/.test(property.name) ? [property.name] : []
}
