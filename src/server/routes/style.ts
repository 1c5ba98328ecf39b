import { memberTable } from '../../store/classes/member_table.ts'
import { isMapboxStyle } from '../../style/mapbox/mapbox_read.ts'
import { isSld } from '../../style/sld/sld_read.ts'
import type { Handlers } from '../http/handler.ts'
import { lacksPart } from '../resource/require_permission.ts'

/** Operations on styles. */
export const styleHandlers: Handlers<'style.qml'> = {
  'style.qml': async ({ context, params: { id } }) => {
    const style = (await memberTable('desk_vector_style').find(context.database, [id])).get(id)
    if (style === undefined) throw await lacksPart(context.database, id, 'style file')
    const [extension, mediaType] = formatOf(style.qml)
    const name = `${id}.${extension}`
    const headers = { 'content-disposition': `attachment; filename="${name}"`, 'cache-control': 'no-cache' }
    return { bytes: Buffer.from(style.qml), mediaType, headers }
  },
}

function formatOf(text: string): readonly [extension: string, mediaType: string] {
  if (isMapboxStyle(text)) return ['json', 'application/json']
  return isSld(text) ? ['sld', 'application/vnd.ogc.sld+xml'] : ['qml', 'application/xml']
}
