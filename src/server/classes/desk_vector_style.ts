import type { Pointer } from '../../core/pointer.ts'
import type { Queryable } from '../../database/database.ts'
import { type MemberRow, memberTable } from '../../store/classes/member_table.ts'
import { findLayers } from '../../store/layer/stored_layer.ts'
import type { StoredUpload } from '../../store/upload/stored_upload.ts'
import { readDesktopStyle } from '../../style/qml/desktop_style.ts'
import { maxQmlLength } from '../../style/qml/qml_parse.ts'
import { defaultQml } from '../../style/qml/qml_write.ts'
import type { ServerContext } from '../context.ts'
import { lockUploadsOf, readUploadText, uploadNotFound } from '../upload/upload_text.ts'
import type { Behaviour, MemberChange } from './behaviour.ts'
import { logUndrawnParts, styleProblem } from './style_fault.ts'

type Change = MemberChange<'desk_vector_style'>

const styles = memberTable('desk_vector_style')

/**
 * QML style files of desktop GIS. They are validated and stored unchanged. Parts that rendering does not support are
 * logged with line and column; for styles in manifests, `landform validate` reports them.
 */
export const deskVectorStyleBehaviour: Behaviour<'desk_vector_style'> = {
  async readMembers(tx, ids) {
    const rows = await styles.find(tx, ids)
    return new Map([...rows].map(([id, { qml }]) => [id, { desk_vector_style: { qml } }]))
  },
  async create(tx, changes) {
    const layers = await findLayers(tx, [...new Set(changes.map(({ parentId }) => parentId))])
    const styleTexts = await readStyles(tx, changes)
    const rows = changes.map(({ id, parentId }): [number, MemberRow<'desk_vector_style'>] => [
      id,
      { qml: styleTexts.get(id) ?? defaultQml(layers.get(parentId)?.geometryType) },
    ])
    await styles.write(tx, new Map(rows))
  },
  async update(tx, changes) {
    const styleTexts = await readStyles(tx, changes)
    await styles.write(tx, new Map([...styleTexts].map(([id, qml]) => [id, { qml }])))
  },
}

const pointers = { file: '/desk_vector_style/file_upload', text: '/desk_vector_style/qml' } as const

/** Reads the QML of requests, by resource. An upload takes precedence over member `qml`. */
async function readStyles(tx: Queryable, changes: readonly Change[]): Promise<Map<number, string>> {
  const ids = changes.flatMap(({ members }) => members.desk_vector_style?.file_upload?.id ?? [])
  const uploads = await lockUploadsOf(tx, changes, ids)
  const styleTexts = new Map<number, string>()
  for (const { context, id, members } of changes) {
    const { file_upload: upload, qml } = members.desk_vector_style ?? {}
    if (upload !== undefined) {
      const text = await readFile(context, upload.id, uploads.get(upload.id))
      styleTexts.set(id, checkQml({ context, id, pointer: pointers.file }, text))
    } else if (qml !== undefined) styleTexts.set(id, checkQml({ context, id, pointer: pointers.text }, qml))
  }
  return styleTexts
}

function readFile(context: ServerContext, id: string, upload: StoredUpload | undefined): Promise<string> {
  if (upload === undefined) throw uploadNotFound({ id, pointer: pointers.file })
  return readUploadText(context, { ...upload, pointer: pointers.file, limitBytes: maxQmlLength })
}

interface QmlTarget extends Pick<Change, 'context' | 'id'> {
  readonly pointer: Pointer
}

function checkQml({ context, id, pointer }: QmlTarget, qml: string): string {
  const { style, issues } = readDesktopStyle(qml)
  if (style === undefined) throw styleProblem(pointer, issues)
  logUndrawnParts(context, id, issues)
  return qml
}
