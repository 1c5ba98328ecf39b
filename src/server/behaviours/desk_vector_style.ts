import type { Members } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { deskStyles } from '../../store/desk_style.ts'
import { findLayers } from '../../store/layer.ts'
import { longestQml, parseQml } from '../../style/qml.ts'
import { plainQml } from '../../style/qml_write.ts'
import { readUploadText } from '../upload_text.ts'
import type { Behaviour, MemberChange } from './behaviour.ts'
import { styleProblem } from './style_fault.ts'

type Change = MemberChange<'desk_vector_style'>

/** Style files of desktop GIS. They are kept as they came, once they are known to be such files at all. */
export const deskVectorStyleBehaviour: Behaviour<'desk_vector_style'> = {
  async readMembers(tx, ids) {
    const rows = await deskStyles.find(tx, ids)
    return new Map([...rows].map(([id, { qml }]) => [id, { desk_vector_style: { qml } }]))
  },
  async create(tx, changes) {
    const layers = await findLayers(tx, [...new Set(changes.map(({ parentId }) => parentId))])
    const rows = new Map<number, { qml: string }>()
    for (const change of changes) {
      const qml = await readQml(tx, change)
      rows.set(change.id, { qml: qml ?? plainQml(layers.get(change.parentId)?.geometryType) })
    }
    await deskStyles.write(tx, rows)
  },
  async update(tx, change) {
    const qml = await readQml(tx, change)
    if (qml !== undefined) await deskStyles.write(tx, new Map([[change.id, { qml }]]))
  },
}

/** Gives the text that a request brings along; undefined where it brings none. An upload goes before what was read. */
async function readQml(tx: Queryable, { context, members }: Change): Promise<string | undefined> {
  const own: NonNullable<Members<'desk_vector_style'>['desk_vector_style']> = members.desk_vector_style ?? {}
  const { file_upload: upload, qml } = own
  if (upload === undefined) return qml === undefined ? undefined : checked('/desk_vector_style/qml', qml)
  const pointer = '/desk_vector_style/file_upload'
  const text = await readUploadText(tx, context, { id: upload.id, pointer, limitBytes: longestQml })
  return checked(pointer, text)
}

function checked(pointer: '/desk_vector_style/qml' | '/desk_vector_style/file_upload', qml: string): string {
  const { root, issues } = parseQml(qml)
  if (root === undefined) throw styleProblem(pointer, issues)
  return qml
}
