-- Where writes changed the features of a layer: for tiles that were made of an older version of its data.
-- A version without a row changed the whole layer, as does a row without boxes.
create table layer_change (
  layer_id integer not null references layer on delete cascade,
  -- The changes after version `since`, up to this version.
  version  integer not null,
  since    integer not null,
  -- Four edges of each box, in the reference system of the layer.
  boxes    double precision[],
  primary key (layer_id, version)
);
