-- Classes that are more than a group, a layer, a style or a web map. Columns are named as on the wire.

create table lookup_table (
  resource_id integer primary key references resource on delete cascade,
  -- Pairs of key and value, as they were given.
  items       json not null,
  sort        text not null,
  -- Keys in the order of the items; null where the items have it themselves.
  key_order   json
);

create table tracker (
  resource_id      integer primary key references resource on delete cascade,
  unique_id        text not null,
  description      text,
  device_type      text not null,
  consumption_lpkm double precision,
  is_registered    text,
  constraint tracker_unique_id unique (unique_id) deferrable initially deferred
);

create table basemap_layer (
  resource_id    integer primary key references resource on delete cascade,
  url            text,
  qms            text,
  copyright_text text,
  copyright_url  text,
  z_min          integer,
  z_max          integer
);

-- What a service publishes, in order. A resource that is deleted takes its entries along.
create table service_layer (
  service_id      integer not null references resource on delete cascade,
  position        integer not null,
  keyname         text not null,
  display_name    text not null,
  resource_id     integer not null references resource on delete cascade,
  min_scale_denom double precision,
  max_scale_denom double precision,
  maxfeatures     integer,
  primary key (service_id, position),
  constraint service_layer_keyname unique (service_id, keyname)
);
create index service_layer_resource on service_layer (resource_id);

create table desk_style (
  resource_id integer primary key references resource on delete cascade,
  qml         text not null
);

-- Files that resources keep under names of their own; the content is shared with whatever has the same.
create table resource_file (
  resource_id integer not null references resource on delete cascade,
  name        text not null,
  position    integer not null,
  mime_type   text not null,
  digest      text not null references blob,
  primary key (resource_id, name)
);
create index resource_file_digest on resource_file (digest);

create table wms_connection (
  resource_id  integer primary key references resource on delete cascade,
  url          text not null,
  username     text,
  -- Sealed with the key of the server.
  password     text,
  version      text not null,
  -- What the service said of itself when it was asked last.
  capabilities jsonb
);

-- Its connection stands in resource_connection.
create table wms_layer (
  resource_id   integer primary key references resource on delete cascade,
  srs           integer not null,
  wmslayers     text not null,
  imgformat     text not null,
  vendor_params jsonb not null
);
