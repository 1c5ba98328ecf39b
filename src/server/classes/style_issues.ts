import type { Cls } from '../../contract/registry.ts'
import { maxStyleIssues } from '../../contract/style_issue.ts'
import type { Issue } from '../../core/issue.ts'
import type { Queryable } from '../../database/database.ts'
import { memberTable } from '../../store/classes/member_table.ts'
import { readMapserverXml } from '../../style/mapserver_read.ts'
import { readQml } from '../../style/qml_read.ts'

/** Part of an answer with the issues of a style. */
export interface StyleIssuesPart {
  readonly style_issues?: {
    readonly code: string
    readonly message: string
    readonly line: number
    readonly column: number
  }[]
}

/** Returns the issues of the style that a request wrote; empty for resources of other classes. */
export async function styleIssuesPart(tx: Queryable, id: number, cls: Cls): Promise<StyleIssuesPart> {
  const issues = await readIssues(tx, id, cls)
  if (issues.length === 0) return {}
  return {
    style_issues: issues.slice(0, maxStyleIssues).map(({ code, message, span }) => ({
      code,
      message,
      line: span?.line ?? 1,
      column: span?.column ?? 1,
    })),
  }
}

async function readIssues(tx: Queryable, id: number, cls: Cls): Promise<readonly Issue[]> {
  if (cls === 'mapsrv_style') {
    const row = (await memberTable(cls).find(tx, [id])).get(id)
    return row === undefined ? [] : readMapserverXml(row.xml).issues
  }
  if (cls !== 'desk_vector_style') return []
  const row = (await memberTable(cls).find(tx, [id])).get(id)
  return row === undefined ? [] : readQml(row.qml).issues
}
