import { descriptorOf, isCls } from '../contract/registry.ts'
import { joinPointer, type Pointer } from '../core/pointer.ts'
import { formatYaml } from '../document/format_yaml.ts'
import { blockFields } from './schema/block_schema.ts'

/** A block to write; values may be expressions (`variableExpression`). */
export interface WrittenBlock {
  readonly [field: string]: unknown
  readonly children?: Readonly<Record<string, WrittenBlock>>
}

/** A manifest to write. */
export interface WrittenManifest {
  readonly manifest: string
  readonly resources?: Readonly<Record<string, WrittenBlock>>
  readonly users?: Readonly<Record<string, WrittenBlock>>
  readonly groups?: Readonly<Record<string, WrittenBlock>>
  readonly icons?: Readonly<Record<string, WrittenBlock>>
  readonly geoservices?: Readonly<Record<string, WrittenBlock>>
}

/** Format options. */
export interface FormatOptions {
  /** Path or URL of the JSON Schema, for editors; `landform schema manifest` prints it. */
  readonly schema?: string
}

/**
 * Formats a manifest as YAML, with fields of resources in the order of the contract, and resources and records in the
 * given order. Loading the text returns the same manifest. Sections without blocks are left out.
 */
export function formatManifest(
  { manifest, resources = {}, users = {}, groups = {}, icons = {}, geoservices = {} }: WrittenManifest,
  { schema }: FormatOptions = {},
): string {
  const head = schema === undefined ? '' : `# yaml-language-server: $schema=${schema}\n`
  const sections = Object.entries({ resources: orderBlocks(resources), users, groups, icons, geoservices })
  const written = sections.filter(([, blocks]) => Object.keys(blocks).length > 0)
  const texts = written.map(([section, blocks]) => `\n${formatYaml({ [section]: blocks })}`)
  return `${head}${formatYaml({ manifest })}${texts.join('')}`
}

function orderBlocks(blocks: Readonly<Record<string, WrittenBlock>>): Record<string, WrittenBlock> {
  return Object.fromEntries(Object.entries(blocks).map(([key, block]) => [key, orderBlock(block)]))
}

/** Writes the fields of a block, and of those below it, in the order of the contract. */
export function orderBlock({ children, ...block }: WrittenBlock): WrittenBlock {
  const order = fieldOrder(block.cls)
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  const names = Object.keys(block).sort((a, b) => rank(a) - rank(b))
  const ordered = names.map((name) => [name, orderField(block.cls, name, block[name])] as const)
  const hasChildren = children !== undefined && Object.keys(children).length > 0
  return { ...Object.fromEntries(ordered), ...(hasChildren ? { children: orderBlocks(children) } : {}) }
}

function fieldOrder(cls: unknown): readonly string[] {
  const members = isCls(cls) ? Object.keys(descriptorOf(cls).members) : []
  return [...blockFields, ...members, 'data', 'features', 'files', 'file']
}

const ruleOrder = ['action', 'principal', 'identity', 'scope', 'permission', 'propagate']

function orderField(cls: unknown, name: string, value: unknown): unknown {
  if (name === 'permissions') return orderRules(value)
  if (!isCls(cls)) return value
  const schema = descriptorOf(cls).members[name]
  return schema === undefined ? value : orderMembers(value, Object.keys(schema.properties))
}

function orderRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((rule) => orderMembers(rule, ruleOrder))
  const { include } = (value ?? {}) as { readonly include?: unknown }
  return include === undefined ? value : { include: orderRules(include) }
}

function orderMembers(value: unknown, order: readonly string[]): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const entries = Object.entries(value)
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  return Object.fromEntries(entries.sort(([a], [b]) => rank(a) - rank(b)))
}

/** Finds the pointer of a block by its key: `/resources/root/children/roads`. */
export function findBlockPointer(manifest: unknown, key: string): Pointer | undefined {
  const { resources } = (manifest ?? {}) as { readonly resources?: unknown }
  return findIn(resources, '/resources', key)
}

function findIn(blocks: unknown, base: Pointer, key: string): Pointer | undefined {
  if (blocks === null || typeof blocks !== 'object') return undefined
  if (Object.hasOwn(blocks, key)) return joinPointer(base, key)
  for (const [name, block] of Object.entries(blocks)) {
    const { children } = (block ?? {}) as { readonly children?: unknown }
    const found = findIn(children, joinPointer(base, name, 'children'), key)
    if (found !== undefined) return found
  }
  return undefined
}
