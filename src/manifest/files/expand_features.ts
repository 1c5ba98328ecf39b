import { extensionsOf } from '../../contract/registry.ts'
import { isObject } from '../../core/is_object.ts'
import type { Issue } from '../../core/issue.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import { findHint } from '../../core/suggest.ts'
import type { WantedAttachment, WantedFeatures } from '../manifest.ts'
import { type Block, blockIssue } from '../manifest_block.ts'
import type { SourceFault } from '../resolve_source.ts'
import { expandEntry, type FileEntry, type Report } from './expand_files.ts'

/** Tells whether a block has descriptions or attachments of features, of a class that can have them. */
export function extendsFeatures({ cls, value }: Block): boolean {
  return extensionsOf(cls) !== undefined && isObject(value.features)
}

interface FeaturesBlock {
  readonly key?: unknown
  readonly descriptions?: unknown
  readonly attachments?: unknown
}

/** Finds the descriptions and attachments of features of a block: paths are checked, patterns replaced by what they match. */
export async function expandFeatures(block: Block) {
  const issues: Issue[] = []
  const report = (fault: SourceFault) => void issues.push(blockIssue(block, fault))
  const { key, descriptions, attachments } = block.value.features as FeaturesBlock
  checkKey(block, key, report)
  const texts = isObject(descriptions)
    ? new Map(Object.entries(descriptions as Record<string, string>))
    : undefined
  const lists = isObject(attachments) ? await expandLists(block, attachments, report) : undefined
  const features: WantedFeatures = {
    key: String(key),
    ...(texts === undefined ? {} : { descriptions: texts }),
    ...(lists === undefined ? {} : { attachments: lists }),
  }
  return { key: block.key, features, issues }
}

function checkKey(block: Block, key: unknown, report: Report): void {
  const { fields } = (block.value.feature_layer ?? {}) as { readonly fields?: unknown }
  if (!Array.isArray(fields) || typeof key !== 'string') return
  const known = fields.map((field: { readonly keyname?: unknown } | null) => String(field?.keyname))
  if (known.includes(key)) return
  const message = `the layer has no field "${key}"`
  report({ code: 'manifest/bad-value', pointer: '/features/key', message, hint: findHint(key, known) })
}

async function expandLists(block: Block, lists: object, report: Report) {
  const found = await Promise.all(
    Object.entries(lists).map(async ([feature, list]) => {
      const pointer = joinPointer('/features/attachments', feature)
      return [feature, Array.isArray(list) ? await expandList(block, { list, pointer }, report) : []] as const
    }),
  )
  return new Map(found)
}

type AttachmentEntry = FileEntry & { readonly description?: string }

async function expandList(
  block: Block,
  { list, pointer }: { readonly list: readonly unknown[]; readonly pointer: Pointer },
  report: Report,
): Promise<WantedAttachment[]> {
  const byName = new Map<string, WantedAttachment>()
  for (const [index, one] of list.entries()) {
    const entry = (typeof one === 'string' ? { path: one } : one) as AttachmentEntry | null
    if (typeof entry?.path !== 'string' || entry.path === '') continue
    const place = joinPointer(pointer, index)
    const { description, ...file } = entry
    const described = description === undefined ? {} : { description }
    for (const { name, ...rest } of await expandEntry(block, { entry: file, pointer: place }, report)) {
      // Attachments have no folders.
      const attachment = { ...rest, ...described, name: name.split('/').at(-1) ?? name }
      if (byName.has(attachment.name)) report(duplicate(place, attachment.name))
      byName.set(attachment.name, attachment)
    }
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function duplicate(pointer: Pointer, name: string): SourceFault {
  const message = `the feature has two attachments with the name ${JSON.stringify(name)}`
  return { code: 'manifest/duplicate-item', pointer, message, hint: 'set another name:' }
}
