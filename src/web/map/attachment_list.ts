import type { AnswerAttachment } from '../../contract/routes/attachment.ts'
import { maxFoundAttachments } from '../../contract/routes/identify.ts'
import { element } from '../element.ts'
import type { FoundFeature } from './identify.ts'

/** Width and height of a preview, in pixels: twice those on the page, for sharp screens. */
const previewSize = '96x96'

/** Lists the attachments of a feature as links to their files, images with a preview. */
export function attachmentList(
  { id, layer }: Pick<FoundFeature, 'id' | 'layer'>,
  attachments: readonly AnswerAttachment[],
): HTMLElement {
  const path = `/api/resource/${layer.layerId}/feature/${id}/attachment`
  const items = attachments.map((attachment) => attachmentItem(`${path}/${attachment.id}`, attachment))
  const isFull = attachments.length >= maxFoundAttachments
  return element(
    'div',
    { class: 'attachments' },
    element('h3', {}, 'Attachments'),
    element('ul', {}, ...items),
    ...(isFull ? [element('p', { class: 'note' }, `At most ${maxFoundAttachments} are shown.`)] : []),
  )
}

function attachmentItem(path: string, { name, size, description, is_image }: AnswerAttachment): HTMLElement {
  const preview = is_image ? [previewOf(`${path}/image?size=${previewSize}`)] : []
  const about = [sizeText(size), description].filter((text) => text !== null && text !== '').join(' · ')
  const link = { href: `${path}/download`, target: '_blank', rel: 'noopener noreferrer' }
  return element(
    'li',
    {},
    element('a', link, ...preview, element('span', {}, name)),
    element('span', { class: 'about' }, about),
  )
}

/** Loads the preview when it is seen. The name says what the image is; without a preview, the name stays. */
function previewOf(src: string): HTMLElement {
  const error = ({ target }: Event) => (target as HTMLElement).remove()
  return element('img', { loading: 'lazy', alt: '', error, src })
}

/** Writes a size as people read it. */
function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const at = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const value = bytes / 1000 ** at
  return `${value.toFixed(at > 0 && value < 10 ? 1 : 0)} ${units[at]}`
}
