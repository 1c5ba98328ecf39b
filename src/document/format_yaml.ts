import {
  Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  Scalar,
  type ToStringOptions,
  visit,
  type YAMLMap,
} from 'yaml'

const expressionMark = Symbol('expression')

/** An expression that is written unescaped, for a value that must not appear in the file. */
export interface WrittenExpression {
  readonly [expressionMark]: string
}

/** Creates the expression `${env.NAME}`. */
export function variableExpression(name: string): WrittenExpression {
  return { [expressionMark]: `\${env.${name}}` }
}

/** Creates the expression `${file:PATH}`. */
export function fileExpression(path: string): WrittenExpression {
  return { [expressionMark]: `\${file:${path}}` }
}

/** Maximum width of a map in a list that is written on one line. */
const lineWidth = 120

const layout: ToStringOptions = {
  lineWidth: 0,
  blockQuote: 'literal',
  doubleQuotedAsJSON: true,
  flowCollectionPadding: true,
}

/**
 * Formats a plain value as YAML: multi-line strings as blocks (`|`), short maps in lists on one line each. A literal
 * `${` is escaped; parsing and resolving the output yields the same value. Ends with a line feed.
 */
export function formatYaml(value: unknown): string {
  const document = new Document(escapeTexts(value), { compat: 'yaml-1.1', aliasDuplicateObjects: false })
  tidyNodes(document)
  return document.toString(layout)
}

/** Formats a value on one line, for use inside `{ }` or `[ ]` or after a key; padded as `{ a: 1 }`, else as `{a: 1}`. */
export function formatInline(value: unknown, isPadded = false): string {
  const document = new Document([escapeTexts(value)], { compat: 'yaml-1.1', aliasDuplicateObjects: false })
  visit(document, {
    Collection: (_, node) => {
      node.flow = true
    },
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && node.value.includes('\n')) node.type = Scalar.QUOTE_DOUBLE
      markLarge(node)
    },
  })
  const options: ToStringOptions = {
    ...layout,
    blockQuote: false,
    doubleQuotedAsJSON: true,
    flowCollectionPadding: isPadded,
  }
  return document.toString(options).trim().slice(1, -1).trim()
}

/** Formats a value on one line. */
export type InlineFormat = (value: unknown, isPadded?: boolean) => string

/** Formats a value as JSON on one line, with expressions as `formatInline`. */
export function formatJson(value: unknown, isPadded = false): string {
  const pad = isPadded ? ' ' : ''
  const write = (part: unknown): string => {
    if (Array.isArray(part)) return `[${part.map(write).join(', ')}]`
    if (part instanceof Map) {
      const members = [...part].map(([name, member]) => `${JSON.stringify(name)}: ${write(member)}`)
      return members.length === 0 ? '{}' : `{${pad}${members.join(', ')}${pad}}`
    }
    const isLarge = typeof part === 'number' && Math.abs(part) > Number.MAX_SAFE_INTEGER
    return isLarge ? part.toExponential() : JSON.stringify(part)
  }
  return write(escapeTexts(value))
}

function escapeTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (Array.isArray(value)) return value.map(escapeTexts)
  if (value === null || typeof value !== 'object') return value
  if (expressionMark in value) return value[expressionMark]
  return new Map(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, escapeTexts(member)]),
  )
}

/** Multi-line strings are blocks, unless trailing blank lines would be lost. */
function multilineType(text: string): Scalar.Type {
  return /\S *\n?$/.test(text) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE
}

/** Numbers beyond 2^53 are accepted only with an exponent, which marks them as inexact. */
function markLarge(node: Scalar): void {
  if (typeof node.value === 'number' && Math.abs(node.value) > Number.MAX_SAFE_INTEGER) node.format = 'EXP'
}

function tidyNodes(document: Document): void {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && node.value.includes('\n')) node.type = multilineType(node.value)
      markLarge(node)
    },
    Map: (_, node, path) => {
      const parent = path.at(-1)
      if (isFlat(node) && (isSeq(parent) || isIdOnly(node)))
        node.flow = lengthOf(node) + 2 * path.filter(isCollection).length <= lineWidth
    },
    Seq: (_, node) => {
      if (node.items.length === 0 || node.items.every(isShortScalar))
        node.flow = node.items.reduce<number>((sum, item) => sum + String(item).length + 2, 0) < lineWidth / 2
    },
  })
}

/** Reports whether a node is a single-line scalar, or a map of flat nodes. */
function isFlat(node: unknown): boolean {
  if (isScalar(node)) return !String(node.value).includes('\n')
  return isMap(node) && node.items.every(({ value }) => isFlat(value))
}

function isIdOnly({ items }: YAMLMap): boolean {
  const [only, ...others] = items
  return others.length === 0 && isScalar(only?.key) && only.key.value === 'id'
}

function isShortScalar(node: unknown): boolean {
  return isScalar(node) && typeof node.value !== 'string'
}

/** Approximate width of a flat map on one line. */
function lengthOf(node: Node): number {
  if (!isMap(node)) return String((node as Scalar).value).length
  return node.items.reduce((sum, { key, value }) => sum + String(key).length + 4 + lengthOf(value as Node), 2)
}
