import { createXmlParser, localName, XmlFault } from '../core/xml_parser.ts'
import { OwsFault } from './ows_fault.ts'

/** An element, by names without prefixes. */
export interface XmlNode {
  readonly name: string
  /** URI of the namespace; empty without one. */
  readonly namespace: string
  /** Values by name without prefix; without namespace declarations. */
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlNode[]
  /** Own text, as written. */
  readonly text: string
}

interface OpenNode extends XmlNode {
  readonly children: OpenNode[]
  text: string
  /** Namespaces by prefix that are in scope. */
  readonly scope: ReadonlyMap<string, string>
  /** Whether the element is not kept, and its children are returned one by one. */
  readonly isContainer: boolean
}

/** A complete element, and the containers that it is in, outermost first. */
export interface XmlItem {
  readonly node: XmlNode
  readonly containers: readonly XmlNode[]
}

/** How a document is split into items. */
export interface XmlTreeOptions {
  /** Whether an element is a container, whose children are items; by default the root is the only item. */
  isContainer?(node: XmlNode, containers: readonly XmlNode[]): boolean
  /** Maximum size of an item, in characters. */
  readonly maxItemLength: number
}

/** Maximum nesting depth of requests. */
const maxDepth = 100

/** Maximum number of elements of an item. */
const maxItemElements = 200_000

/** Reads the items of a document that arrives in pieces. */
export interface XmlTreeReader {
  /** The root element, once its start tag is complete. */
  readonly root: XmlNode | undefined
  /** Parses a piece, and returns the items that are complete now. */
  write(xml: string): readonly XmlItem[]
  /** @returns the root element, without children if it is a container */
  end(): XmlNode
}

/**
 * Creates a reader of requests. Its methods throw an `OwsFault` for documents that are not well-formed, that have a
 * document type or entities, and for items that are too large or nested too deeply.
 */
export function createXmlTreeReader(options: XmlTreeOptions): XmlTreeReader {
  const open: OpenNode[] = []
  let items: XmlItem[] = []
  let root: OpenNode | undefined
  let itemElements = 0
  let itemStart = 0
  const containers = () => open.filter((node) => node.isContainer)
  const addItem = (node: XmlNode) => {
    items.push({ node, containers: containers() })
    itemElements = 0
    itemStart = parser.position
  }
  const handler = {
    open(name: string, attributes: Readonly<Record<string, string>>) {
      const node = createNode(name, attributes, open.at(-1)?.scope)
      const isInContainers = open.every((one) => one.isContainer)
      const isContainer = isInContainers && options.isContainer?.(node, open) === true
      const opened = { ...node, isContainer }
      root ??= opened
      if (!isInContainers) open.at(-1)?.children.push(opened)
      else itemStart = parser.position
      open.push(opened)
      if (isContainer) return
      itemElements += 1
      if (itemElements > maxItemElements)
        throw parsingFault(`An element has more than ${maxItemElements} elements.`)
    },
    text(part: string) {
      const node = open.at(-1)
      if (node === undefined || node.isContainer) return
      node.text += part
    },
    close() {
      const node = open.pop()
      if (node !== undefined && !node.isContainer && open.every((one) => one.isContainer)) addItem(node)
    },
  }
  const parser = createXmlParser(handler, { maxDepth })
  const take = () => {
    const taken = items
    items = []
    return taken
  }
  return {
    get root() {
      return root
    },
    write(xml) {
      refuse(() => parser.write(xml))
      // Text reaches the handler at its end, which may never come.
      if (parser.position - itemStart > options.maxItemLength) throw tooLong(options)
      return take()
    },
    end() {
      refuse(() => parser.end())
      if (root === undefined) throw parsingFault('The document has no root element.')
      return root
    },
  }
}

/** Reads a complete document, such as the value of a parameter. */
export function readXmlNode(xml: string): XmlNode {
  const reader = createXmlTreeReader({ maxItemLength: Number.POSITIVE_INFINITY })
  const [item] = reader.write(xml)
  return item?.node ?? reader.end()
}

function createNode(
  name: string,
  attributes: Readonly<Record<string, string>>,
  outer: ReadonlyMap<string, string> = new Map(),
): OpenNode {
  const declared = Object.entries(attributes).flatMap(([key, value]) =>
    key === 'xmlns' || key.startsWith('xmlns:') ? [[key.slice(6), value] as const] : [],
  )
  const scope = declared.length === 0 ? outer : new Map([...outer, ...declared])
  const local = localName(name)
  const prefix = name.slice(0, Math.max(0, name.length - local.length - 1))
  const own = Object.entries(attributes).filter(([key]) => !/^xmlns(:|$)/.test(key))
  return {
    name: local,
    namespace: scope.get(prefix) ?? '',
    attributes: new Map(own.map(([key, value]) => [localName(key), value])),
    children: [],
    text: '',
    scope,
    isContainer: false,
  }
}

function refuse(parse: () => void): void {
  try {
    parse()
  } catch (error) {
    if (error instanceof XmlFault) throw parsingFault(`The XML cannot be read: ${error.message}.`)
    throw error
  }
}

function parsingFault(message: string): OwsFault {
  return new OwsFault('OperationParsingFailed', message)
}

function tooLong({ maxItemLength }: XmlTreeOptions): OwsFault {
  return parsingFault(`An element has more than ${maxItemLength} characters.`)
}

/** Finds a child element by its name. */
export function findChild({ children }: XmlNode, ...names: readonly string[]): XmlNode | undefined {
  return children.find(({ name }) => names.includes(name))
}

/** Returns the text of an element without surrounding white space. */
export function trimmedText({ text }: XmlNode): string {
  return text.trim()
}
