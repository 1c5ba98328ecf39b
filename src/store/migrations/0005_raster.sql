-- Layers of pictures. The picture itself is a file: GeoTIFF, laid out for reading in parts.

create table raster_layer (
  resource_id   integer primary key references resource on delete cascade,
  digest        text not null references blob,
  -- The file as it was sent, and its name.
  source_digest text not null references blob,
  source_name   text,
  srs           integer not null,
  xsize         integer not null,
  ysize         integer not null,
  -- Of the bands, in order.
  dtype         text not null,
  color_interpretation json not null,
  -- Six numbers that take columns and rows of pixels to coordinates.
  geo_transform json not null,
  -- Counts the pictures there have been.
  data_version  integer not null default 1
);
create index raster_layer_digest on raster_layer (digest);
create index raster_layer_source_digest on raster_layer (source_digest);

-- Pictures that stand ready for a layer to take over; their files stay that long.
create table prepared_raster (
  id            text primary key,
  user_id       integer not null references principal on delete cascade,
  -- The layer whose picture they are to replace.
  layer_id      integer references raster_layer on delete cascade,
  digest        text not null references blob,
  source_digest text not null references blob,
  source_name   text,
  -- What is known of the picture.
  facts         json not null,
  created_at    timestamp not null default (now() at time zone 'utc')
);
create index prepared_raster_created on prepared_raster (created_at);
create index prepared_raster_user on prepared_raster (user_id);
create index prepared_raster_layer on prepared_raster (layer_id);
create index prepared_raster_digest on prepared_raster (digest);
create index prepared_raster_source_digest on prepared_raster (source_digest);
