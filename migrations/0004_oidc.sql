-- Sign-in through an OpenID Connect provider, where an admin has configured one.

create table oidc_provider (
  id             text primary key check (id = 'provider'),
  -- What the button says.
  name           text not null,
  issuer         text not null,
  client_id      text not null,
  -- Sealed by the vault.
  client_secret  text not null,
  -- Null: only people who were invited may come in.
  new_users_role text check (new_users_role in ('member', 'operator'))
);

-- Whom the provider knows under which subject. An e-mail address may change hands, a subject does not.
create table user_identities (
  issuer  text not null,
  subject text not null,
  user_id text not null references users on delete cascade,
  primary key (issuer, subject)
);

create index user_identities_user on user_identities (user_id);
