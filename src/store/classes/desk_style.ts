import { rowTable } from './row_table.ts'

/** A style file of desktop GIS as it is kept. */
export interface DeskStyleRow {
  /** The text of the file; in UTF-8 it is the file, byte for byte. */
  readonly qml: string
}

/** Style files of desktop GIS by resource id. */
export const deskStyles = rowTable<DeskStyleRow>('desk_style', { qml: 'text' })
