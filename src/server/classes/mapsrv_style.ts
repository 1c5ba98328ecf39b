import { hasErrors } from '../../core/issue.ts'
import { type MemberRow, memberTable } from '../../store/classes/member_table.ts'
import { findLayers } from '../../store/layer/stored_layer.ts'
import { defaultXml } from '../../style/default_style.ts'
import { readMapserverXml } from '../../style/mapserver/mapserver_read.ts'
import type { Behaviour, MemberChange } from './behaviour.ts'
import { logUndrawnParts, styleProblem } from './style_fault.ts'

const styles = memberTable('mapsrv_style')

/**
 * Styles in MapServer XML, validated and stored unchanged. Parts that rendering does not support are logged with line
 * and column; for styles in manifests, `landform validate` reports them.
 */
export const mapsrvStyleBehaviour: Behaviour<'mapsrv_style'> = {
  async readMembers(tx, ids) {
    const rows = await styles.find(tx, ids)
    return new Map([...rows].map(([id, { xml }]) => [id, { mapsrv_style: { xml } }]))
  },
  async create(tx, changes) {
    const withoutXml = changes.filter(({ members }) => members.mapsrv_style?.xml === undefined)
    const layers = await findLayers(tx, [...new Set(withoutXml.map(({ parentId }) => parentId))])
    const rows = changes.map((change): [number, MemberRow<'mapsrv_style'>] => {
      const given = change.members.mapsrv_style?.xml
      if (given !== undefined) checkXml(change, given)
      return [change.id, { xml: given ?? defaultXml(layers.get(change.parentId)?.geometryType) }]
    })
    await styles.write(tx, new Map(rows))
  },
  async update(tx, changes) {
    const given = changes.flatMap((change) => {
      const xml = change.members.mapsrv_style?.xml
      if (xml === undefined) return []
      checkXml(change, xml)
      return [[change.id, { xml }] as const]
    })
    await styles.write(tx, new Map(given))
  },
}

function checkXml({ context, id }: MemberChange<'mapsrv_style'>, xml: string): void {
  const { issues } = readMapserverXml(xml)
  if (hasErrors(issues)) {
    const errors = issues.filter(({ severity }) => severity === 'error')
    throw styleProblem('/mapsrv_style/xml', errors)
  }
  logUndrawnParts(context, id, issues)
}
