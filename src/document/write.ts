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

/** A text that is written as it is: an expression, for a value that the file is not to hold. */
export interface WrittenExpression {
  readonly [expressionMark]: string
}

/** Gives what is written as `${env.NAME}`. */
export function variableExpression(name: string): WrittenExpression {
  return { [expressionMark]: `\${env.${name}}` }
}

/** Longest line that a map within a list is written in. */
const lineWidth = 120

const layout: ToStringOptions = {
  lineWidth: 0,
  blockQuote: 'literal',
  doubleQuotedAsJSON: true,
  flowCollectionPadding: true,
}

/**
 * Writes a plain value as tidy YAML: texts of several lines as blocks (`|`), short maps in lists as one line each. A
 * literal `${` is escaped; parsed and resolved again, the text gives the same value. Ends with a line feed.
 */
export function formatYaml(value: unknown): string {
  const document = new Document(escapeTexts(value), { compat: 'yaml-1.1', aliasDuplicateObjects: false })
  tidyNodes(document)
  return document.toString(layout)
}

/** Writes a value for a place inside of `{ }` or `[ ]`, or behind a key: in one line. */
export function formatInline(value: unknown): string {
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
    flowCollectionPadding: false,
  }
  return document.toString(options).trim().slice(1, -1)
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

/** A text of lines is a block, unless blank lines at its end would run into what follows. */
function typeOfLines(text: string): Scalar.Type {
  return /\S *\n?$/.test(text) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE
}

/** Numbers beyond 2^53 are read only where they say by an exponent that they are not exact. */
function markLarge(node: Scalar): void {
  if (typeof node.value === 'number' && Math.abs(node.value) > Number.MAX_SAFE_INTEGER) node.format = 'EXP'
}

function tidyNodes(document: Document): void {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && node.value.includes('\n')) node.type = typeOfLines(node.value)
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

/** A map of scalars in single lines, or of maps that are. */
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

/** About how long a flat map is in one line. */
function lengthOf(node: Node): number {
  if (!isMap(node)) return String((node as Scalar).value).length
  return node.items.reduce((sum, { key, value }) => sum + String(key).length + 4 + lengthOf(value as Node), 2)
}
