-- A key in the query, the same ways to authenticate for both types of connector.

alter table connectors rename column auth_header_name to auth_name;
alter table connectors drop constraint connectors_auth_type_check;
alter table connectors add constraint connectors_auth_type_check
  check (auth_type in ('none', 'bearer', 'api_key', 'basic', 'query'));

-- A key could only be written into a URL, and the audit log kept that URL.
update audit_log set detail = regexp_replace(
    detail::text,
    '([?&][^=&"?]*(key|token|secret|passw|pwd|auth|credential|sig|appid)[^=&"?]*=)[^&"]+', '\1••••••••', 'gi')::json
  where action in ('connector.created', 'tool.tried') and detail::text ~ '\?';
