-- What of a channel counts as unread is up to its reader.

-- `mentions`: mentions of the reader, and runs that failed; `muted`: nothing.
alter table read_marks add column notify text not null default 'all' check (notify in ('all', 'mentions', 'muted'));
comment on table read_marks is 'Up to where a person has read a channel, whether the person has starred it, and what of it counts as unread. Written by chat.';
