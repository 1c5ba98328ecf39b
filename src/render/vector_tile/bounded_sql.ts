/**
 * Limits of the functions of PostGIS whose time grows with the square of the positions for some geometries, such as rings that
 * zigzag. These functions cannot be interrupted, so that a time limit of the statement does not end them.
 */
const bounds = {
  /** Size of a geometry that is simplified as it is: 20,000 positions, a quarter of a second at worst. */
  simplifyBytes: 320 * 1024,
  /** Size of a geometry that is clipped as it is: 8,000 positions, a tenth of a second at worst. */
  clipBytes: 128 * 1024,
  /** Maximum number of pieces of outlines in a box, times that of their positions. */
  clipSteps: 2e8,
}

/**
 * Returns SQL of a simplified geometry, within the tolerance. The time of Douglas-Peucker is at most the number of positions times twice
 * the number of those that remain when positions closer than half the tolerance are merged: a merged position divides a line twice at
 * most. Beyond the limit, small triangles are removed first, in a time that hardly exceeds that of reading the geometry.
 *
 * @see Visvalingam and Whyatt 1993
 */
export function simplifySql(geometry: string, tolerance: string): string {
  const simplified = (sql: string) => `ST_Simplify(${sql}, ${tolerance}, true)`
  const most = bounds.simplifyBytes / 16
  // `offset 0` keeps the planner from computing a column several times.
  return `(select case when ST_MemSize(whole) <= ${bounds.simplifyBytes} then ${simplified('whole')}
    else (select case when ST_NPoints(whole)::float8 * ST_NPoints(merged) <= ${most ** 2} then ${simplified('whole')}
        else (select case when ST_NPoints(few) <= ${most} then ${simplified('few')} else few end
          from (select ST_SimplifyVW(merged, ${tolerance} * ${tolerance} / 2) as few offset 0) fewer) end
      from (select ST_RemoveRepeatedPoints(whole, ${tolerance} / 2) as merged offset 0) less) end
    from (select ${geometry} as whole offset 0) one)`
}

/**
 * Returns SQL of the part of a geometry in a box, or `other` where computing it would take long: connecting the pieces of rings takes
 * the square of their number, and finding the polygons that holes lie in their number times that of the positions.
 */
export function clipSql(geometry: string, box: string, other: string): string {
  const clipped = 'ST_ClipByBox2D(whole, frame)'
  return `(select case when ST_MemSize(whole) <= ${bounds.clipBytes} or ST_Dimension(whole) < 2 then ${clipped}
      else (select case when ST_NumGeometries(outline)::float8 * ST_NPoints(outline) <= ${bounds.clipSteps} then ${clipped} else ${other} end
        from (select ST_ClipByBox2D(ST_Boundary(whole), frame) as outline offset 0) two) end
    from (select ${geometry} as whole, ${box} as frame offset 0) one)`
}
